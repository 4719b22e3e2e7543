import type { ExecutionShape } from "@/api/schema";

/** What runs comes first; apart from that they stay in their order, the newest first. */
export function runningFirst(executions: ExecutionShape[]): ExecutionShape[] {
  const runs = ({ status }: ExecutionShape) => status === "running";
  return [...executions.filter(runs), ...executions.filter((execution) => !runs(execution))];
}

/** How long an execution took, or takes by now. */
export function secondsOf({ start_time, end_time }: ExecutionShape, now: number): number {
  const end = end_time === undefined ? now : Date.parse(end_time);
  return Math.max((end - Date.parse(start_time)) / 1_000, 0);
}
