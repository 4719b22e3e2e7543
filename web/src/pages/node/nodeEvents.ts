import type { EventShape, EventType } from "@/api/schema";

/** What a node's page tells of: all that concerns a node but its heartbeats. */
export const EVENT_TYPES = [
  "node.registered",
  "node.unregistered",
  "node.timeout",
  "node.health_changed",
  "node.status_changed",
  "scheduler.node_unavailable",
  "task.assigned",
  "task.completed",
  "task.failed",
  "task.timeout",
  "task.reassign",
] as const satisfies readonly EventType[];

export type ShownType = (typeof EVENT_TYPES)[number];

interface StateChange {
  of: "health" | "status";
  from: string;
  to: string;
}

/** From which state to which a node went; null where an event is about something else. */
export function stateChangeOf({ type, data }: EventShape): StateChange | null {
  const { old_status, new_status, status } = data as Record<string, string>;
  if (type === "node.health_changed") return { of: "health", from: old_status ?? "?", to: new_status ?? "?" };
  if (type === "node.status_changed") return { of: "status", from: old_status ?? "?", to: status ?? "?" };
  return null;
}
