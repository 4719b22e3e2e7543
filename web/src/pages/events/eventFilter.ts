/** Which events are wanted: as the address says, as the API asks for them, and as they come by. */
import type { EventShape, EventType } from "@/api/schema";

/** In the order of the list to choose from. A type that the API gets or loses fails the build. */
const ALL: Record<EventType, true> = {
  "task.created": true,
  "task.assigned": true,
  "task.status_changed": true,
  "task.completed": true,
  "task.failed": true,
  "task.timeout": true,
  "task.reassign": true,
  "task.filter_nearly_full": true,
  "node.registered": true,
  "node.status_changed": true,
  "node.health_changed": true,
  "node.timeout": true,
  "node.unregistered": true,
  "node.heartbeat": true,
  "scheduler.node_unavailable": true,
  "host.limits_changed": true,
  "leader.changed": true,
};
export const EVENT_TYPES = Object.keys(ALL) as EventType[];

export interface EventFilter {
  types: EventType[]; // none: all but heartbeats, which come from every node all the time
  task: string;
  node: string;
}

export function filterIn(params: URLSearchParams): EventFilter {
  const named = (params.get("types") ?? "").split(",");
  return {
    types: EVENT_TYPES.filter((type) => named.includes(type)),
    task: params.get("task") ?? "",
    node: params.get("node") ?? "",
  };
}

export function typesOf(filter: EventFilter): EventType[] {
  return filter.types.length > 0 ? filter.types : EVENT_TYPES.filter((type) => type !== "node.heartbeat");
}

export function queryOf(filter: EventFilter) {
  return { types: typesOf(filter), task_id: filter.task || undefined, node_id: filter.node || undefined };
}

export function fits(event: EventShape, filter: EventFilter): boolean {
  return (
    typesOf(filter).includes(event.type) &&
    (filter.task === "" || event.task_id === filter.task) &&
    (filter.node === "" || event.node_id === filter.node)
  );
}

/** Whether an event has a text anywhere, its sentence included. */
export function hasText(event: EventShape, sentence: string, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return true;
  return `${sentence}\n${JSON.stringify(event)}`.toLowerCase().includes(wanted);
}
