/** A task as the request that would make it anew, handed to the page of new crawls. */
import type { TaskShape } from "@/api/schema";

export const NEW_TASK_KEY = "crawlmesh-new-task"; // in sessionStorage: a task request as JSON

const PARTS = [
  "task_type",
  "parameters",
  "project_id",
  "workflow_id",
  "cluster_id",
  "priority",
  "min_resources",
  "capabilities",
  "schedule_strategy",
  "target_region",
  "content_features",
  "node_type",
  "categories",
  "max_retries",
  "timeout",
  "max_nodes",
] as const satisfies readonly (keyof TaskShape)[];

export function requestOf(task: TaskShape): Record<string, unknown> {
  return Object.fromEntries(
    PARTS.map((part) => [part, task[part]] as const).filter(([, value]) => !isEmpty(value)),
  );
}

export function keepForNewTask(task: TaskShape): void {
  sessionStorage.setItem(NEW_TASK_KEY, JSON.stringify(requestOf(task), null, 2));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
