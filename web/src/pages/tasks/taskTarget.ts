import type { TaskShape } from "@/api/schema";

export const WEB_CRAWL = "web_crawl";

interface Target {
  text: string; // the first URL, or what kind of task it is
  more: number; // URLs beside the first
}

/** What a task is about, in a few words. */
export function targetOf(task: Pick<TaskShape, "task_type" | "parameters">): Target {
  const { url, urls } = task.parameters as { url?: unknown; urls?: unknown };
  if (typeof url === "string" && url !== "") return { text: url, more: 0 };
  if (Array.isArray(urls) && typeof urls[0] === "string") return { text: urls[0], more: urls.length - 1 };
  return { text: task.task_type, more: 0 };
}

/** Seconds from its first start to its end, or until now; null where nobody began. */
export function durationOf(
  task: Pick<TaskShape, "started_at" | "assigned_at" | "completed_at">,
  now: number,
): number | null {
  const began = task.started_at ?? task.assigned_at;
  if (began === undefined) return null;
  const ended = task.completed_at === undefined ? now : new Date(task.completed_at).getTime();
  return Math.max(0, (ended - new Date(began).getTime()) / 1000);
}
