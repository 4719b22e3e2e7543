/** Hosts for tests. */
import type { HostStatusShape } from "@/api/schema";

export function aHost(values: Partial<HostStatusShape>): HostStatusShape {
  const host = values.host ?? "a.example";
  return {
    host,
    blocked: false,
    delay: 0,
    slots: 4,
    limits: { delay: null, slots: null, blocked: false },
    state: {
      host,
      delay: 0,
      slots: 4,
      exclusive: false,
      pressure: 0,
      failures: 0,
      crawl_delay: 0,
      robots_status: "rules",
      robots_at: "2026-01-01T00:00:00Z",
    },
    queued: 0,
    running: 0,
    done: 0,
    dead: 0,
    mean_elapsed: 0,
    ready_in: 0,
    ...values,
  };
}
