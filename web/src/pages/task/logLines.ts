/** The lines of a log: kept up to a limit, and filtered. */
import type { LogLineShape } from "@/api/schema";

export const MOST_LINES = 20_000;

export const LEVELS = ["all", "INFO", "WARNING", "ERROR"] as const;
export type Level = (typeof LEVELS)[number];

const RANKS: Record<string, number> = { DEBUG: 10, INFO: 20, WARNING: 30, ERROR: 40, CRITICAL: 50 };

export interface Log {
  lines: LogLineShape[];
  lastId: number;
  dropped: boolean; // older lines are not kept here any more
}

export const NO_LINES: Log = { lines: [], lastId: 0, dropped: false };

/** The log with more lines; the oldest go where there are too many. */
export function appended(log: Log, more: LogLineShape[], lastId: number, most = MOST_LINES): Log {
  const fresh = more.filter(({ id }) => id > log.lastId);
  if (fresh.length === 0) return lastId > log.lastId ? { ...log, lastId } : log;
  const lines = [...log.lines, ...fresh];
  const tooMany = lines.length - most;
  return {
    lines: tooMany > 0 ? lines.slice(tooMany) : lines,
    lastId: Math.max(lastId, fresh.at(-1)?.id ?? 0),
    dropped: log.dropped || tooMany > 0,
  };
}

export function filtered(lines: LogLineShape[], level: Level, text: string): LogLineShape[] {
  const least = level === "all" ? 0 : (RANKS[level] ?? 0);
  const wanted = text.trim().toLowerCase();
  if (least === 0 && wanted === "") return lines;
  return lines.filter(
    (line) =>
      (RANKS[line.level.toUpperCase()] ?? 20) >= least &&
      (wanted === "" || line.message.toLowerCase().includes(wanted) || line.node_id.includes(wanted)),
  );
}

export function asText(lines: LogLineShape[]): string {
  return lines.map(({ at, level, node_id, message }) => `${at} ${level} ${node_id} ${message}\n`).join("");
}
