import type { TaskShape } from "@/api/schema";

/** What a task is about, in a few words: the first URL of a crawl, otherwise its type. */
export function subjectOf(task: Pick<TaskShape, "task_type" | "parameters">): string {
  const { url, urls } = task.parameters as { url?: unknown; urls?: unknown };
  const first = url ?? (Array.isArray(urls) ? urls[0] : undefined);
  return typeof first === "string" ? first : task.task_type;
}
