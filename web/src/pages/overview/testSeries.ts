/** Series for tests. */
import type { ClusterPoint, ClusterSeriesShape, OverviewShape, Span } from "@/api/schema";

const BEGIN = Date.parse("2026-01-01T10:00:00Z");

/** A point by its number: one every five seconds. */
export function aPoint(number: number, told: Partial<ClusterPoint> = {}): ClusterPoint {
  return {
    at: new Date(BEGIN + number * 5_000).toISOString(),
    pages: number,
    bytes: 1_000,
    errors: 0,
    queued: 40,
    running: 2,
    pending: 1,
    nodes: { online: 3 },
    ...told,
  };
}

export const NOTHING_KNOWN: Partial<ClusterPoint> = {
  pages: null,
  bytes: null,
  errors: null,
  queued: null,
  running: null,
  pending: null,
  nodes: null,
};

export function aSeries(points: ClusterPoint[], span: Span = "15m"): ClusterSeriesShape {
  return { span, step: 5, from: points[0]?.at ?? "", to: points.at(-1)?.at ?? "", points };
}

export function anOverview(told: Partial<OverviewShape> = {}): OverviewShape {
  return {
    at: aPoint(0).at,
    tasks: { processing: 2, pending: 1 },
    tasks_total: 12,
    nodes: { online: 3, offline: 1 },
    nodes_total: 4,
    health: { healthy: 3, unknown: 1 },
    clusters: 1,
    running: 5,
    slots: 32,
    queues: 0,
    mean_load: 0.2,
    mean_cpu: 0.2,
    mean_memory: 0.2,
    leader: "master-1",
    last_event_id: 1,
    filters: [],
    task_channel: null,
    event_bus: null,
    crawl_store: null,
    ...told,
  };
}
