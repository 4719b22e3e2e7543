/** A task as the request that would make it anew, handed to the page of new crawls. */
import type { TaskShape } from "@/api/schema";
import { loadDraft, saveDraft } from "@/pages/newCrawl/draft";

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

/** Puts the request where the page of new crawls keeps its JSON; returns where to go then. */
export function keepForNewTask(task: TaskShape): string {
  saveDraft({ ...loadDraft(), json: JSON.stringify(requestOf(task), null, 2), carried: "" });
  return "/new?tab=json";
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
