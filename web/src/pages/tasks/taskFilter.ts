/** Which tasks are shown, as the address of the page has it. */
import type { TaskStatus } from "@/api/schema";
import { TASK_STATUSES } from "@/pages/tasks/taskMoves";

export const SORTS = [
  "-created_at",
  "created_at",
  "-updated_at",
  "updated_at",
  "-priority",
  "priority",
] as const;
export type Sort = (typeof SORTS)[number];
export const PAGE_SIZES = [25, 50, 100, 200] as const;
const USUAL_SIZE = 50;

export interface TaskFilter {
  status: TaskStatus[];
  search: string;
  type: string;
  project: string;
  node: string;
  priority: number | null;
  after: string; // ISO 8601
  before: string;
  sort: Sort;
  limit: number;
}

const TEXTS = ["search", "type", "project", "node"] as const;

export function filterOf(params: URLSearchParams): TaskFilter {
  const text = (name: string) => params.get(name)?.trim() ?? "";
  const priority = Number(params.get("priority"));
  const limit = Number(params.get("limit"));
  const sort = params.get("sort") as Sort;
  return {
    status: params.getAll("status").filter((each): each is TaskStatus => isStatus(each)),
    search: text("search"),
    type: text("type"),
    project: text("project"),
    node: text("node"),
    priority: Number.isInteger(priority) && priority >= 1 && priority <= 10 ? priority : null,
    after: momentOf(text("after")),
    before: momentOf(text("before")),
    sort: SORTS.includes(sort) ? sort : "-created_at",
    limit: (PAGE_SIZES as readonly number[]).includes(limit) ? limit : USUAL_SIZE,
  };
}

/** The address with a change; what has its usual value is left out, and the first page is shown. */
export function changedParams(params: URLSearchParams, change: Partial<TaskFilter>): URLSearchParams {
  const filter = { ...filterOf(params), ...change };
  const next = new URLSearchParams();
  for (const status of filter.status) next.append("status", status);
  for (const name of TEXTS) if (filter[name].trim() !== "") next.set(name, filter[name].trim());
  if (filter.priority !== null) next.set("priority", String(filter.priority));
  if (filter.after !== "") next.set("after", filter.after);
  if (filter.before !== "") next.set("before", filter.before);
  if (filter.sort !== "-created_at") next.set("sort", filter.sort);
  if (filter.limit !== USUAL_SIZE) next.set("limit", String(filter.limit));
  return next;
}

/** The filter in the words of the API. */
export function queryOf(filter: TaskFilter, cursor: string | undefined) {
  return {
    status: filter.status.length === 0 ? undefined : filter.status,
    search: filter.search || undefined,
    task_type: filter.type || undefined,
    project_id: filter.project || undefined,
    node_id: filter.node || undefined,
    priority: filter.priority ?? undefined,
    created_after: filter.after || undefined,
    created_before: filter.before || undefined,
    sort: filter.sort,
    limit: filter.limit,
    cursor,
  };
}

/** How many conditions stand behind "More filters". */
export function moreConditions(filter: TaskFilter): number {
  return [filter.type, filter.project, filter.node, filter.priority, filter.after, filter.before].filter(
    (each) => each !== "" && each !== null,
  ).length;
}

export function isFiltered(filter: TaskFilter): boolean {
  return filter.status.length > 0 || filter.search !== "" || moreConditions(filter) > 0;
}

function isStatus(text: string): boolean {
  return (TASK_STATUSES as string[]).includes(text);
}

function momentOf(text: string): string {
  const moment = new Date(text);
  return text === "" || Number.isNaN(moment.getTime()) ? "" : moment.toISOString();
}
