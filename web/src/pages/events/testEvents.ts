/** Events for tests. */
import type { EventShape } from "@/api/schema";

export function anEvent(values: Partial<Omit<EventShape, "data">> & { data?: object }): EventShape {
  return {
    id: 1,
    type: "task.completed",
    at: "2026-01-01T12:00:00Z",
    task_id: `task-${values.id ?? 1}`,
    ...values,
    data: (values.data ?? {}) as EventShape["data"],
  };
}

export function events(ids: number[]): EventShape[] {
  return ids.map((id) => anEvent({ id }));
}
