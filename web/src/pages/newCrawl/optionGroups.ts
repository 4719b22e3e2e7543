/** Which values stand in which part of the form. */
import { type FormValues, NOTHING } from "./formValues";

export const GROUPS = {
  links: [
    "more_urls",
    "allow_hosts",
    "include",
    "exclude",
    "sitemaps",
    "dedup",
    "dedup_capacity",
    "dedup_error_rate",
  ],
  polite: ["delay", "per_host", "ignore_robots", "user_agent", "headers"],
  place: [
    "schedule_strategy",
    "target_region",
    "node_type",
    "max_nodes",
    "capabilities",
    "min_resources",
    "content_features",
  ],
  task: ["timeout", "max_retries", "project_id", "categories", "deduplicate"],
} as const satisfies Record<string, readonly (keyof FormValues)[]>;

export type GroupName = keyof typeof GROUPS;
export const GROUP_NAMES = Object.keys(GROUPS) as GroupName[];

/** How many values of a group somebody has set. */
export function setIn(group: GroupName, values: FormValues): number {
  return GROUPS[group].filter((name) => {
    const value = values[name];
    return Array.isArray(value) ? value.some((pair) => pair.name.trim() !== "") : value !== NOTHING[name];
  }).length;
}

/** The groups that hold one of these values. */
export function groupsWith(names: readonly string[]): GroupName[] {
  return GROUP_NAMES.filter((group) => GROUPS[group].some((name) => names.includes(name)));
}
