import type { HealthShape } from "@/api/schema";
import { formatDuration, formatNumber, formatPercent } from "@/format";

export const KNOWN_DETAILS = [
  "cpu",
  "cpu_usage",
  "memory",
  "memory_usage",
  "task_count",
  "error_count",
  "latency",
] as const;
export type KnownDetail = (typeof KNOWN_DETAILS)[number];

const SHARES = new Set<string>(["cpu", "cpu_usage", "memory", "memory_usage"]);
const WORDS = new Set(["reason", "error"]); // shown as the reason

export interface Detail {
  name: string;
  value: string;
}

/** The readings that a health check rests on, as text. */
export function detailsOf({ details }: HealthShape, language: string): Detail[] {
  return Object.entries(details as Record<string, unknown>)
    .filter(([name]) => !WORDS.has(name))
    .map(([name, value]) => ({ name, value: written(name, value, language) }));
}

export function isKnown(name: string): name is KnownDetail {
  return (KNOWN_DETAILS as readonly string[]).includes(name);
}

function written(name: string, value: unknown, language: string): string {
  if (typeof value !== "number") return typeof value === "string" ? value : JSON.stringify(value);
  if (SHARES.has(name)) return formatPercent(value, language, 1);
  return name === "latency" ? formatDuration(value, language) : formatNumber(value, language, 2);
}
