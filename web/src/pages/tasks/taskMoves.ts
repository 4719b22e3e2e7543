/** What a user may do with a task in each status; the same table as in docs/states.md. */
import type { TaskStatus } from "@/api/schema";

export type Order = "pause" | "resume" | "cancel" | "retry";

const OPEN: readonly Order[] = ["pause", "cancel"];
const ENDED: readonly Order[] = ["retry"];

const MOVES: Record<TaskStatus, readonly Order[]> = {
  waiting: OPEN,
  pending: OPEN,
  assigned: OPEN,
  processing: OPEN,
  paused: ["resume", "cancel"],
  completed: ENDED,
  failed: ENDED,
  timeout: ENDED,
  cancelled: ENDED,
};

export const TASK_STATUSES = Object.keys(MOVES) as TaskStatus[];

export function ordersFor(status: TaskStatus): readonly Order[] {
  return MOVES[status];
}

export function hasEnded(status: TaskStatus): boolean {
  return MOVES[status] === ENDED;
}

/** Whether nodes work on it, so that its numbers change by themselves. */
export function isAtWork(status: TaskStatus): boolean {
  return status === "assigned" || status === "processing";
}
