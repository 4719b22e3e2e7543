/** The numbers of the cluster over time, as charts take them. Apart from React. */
import type { ClusterPoint, ClusterSeriesShape, NodeStatus } from "@/api/schema";
import { unixSeconds } from "@/components/chartTimes";

export const NODE_STATES: readonly NodeStatus[] = [
  "online",
  "draining",
  "maintenance",
  "pending",
  "unresponsive",
  "offline",
];

type Values = (number | null)[];

export interface ClusterColumns {
  times: number[]; // Unix seconds
  from: number;
  to: number;
  pages: Values;
  bytes: Values;
  errorShare: Values;
  queued: Values;
  running: Values;
  pending: Values;
  nodes: { status: NodeStatus; values: Values }[]; // only states that some node was in
}

/** The series with its newest point; what is too old for the span falls out. The same object if it has the point. */
export function withPoint(series: ClusterSeriesShape, point: ClusterPoint): ClusterSeriesShape {
  const newest = series.points.at(-1);
  if (newest !== undefined && Date.parse(point.at) <= Date.parse(newest.at)) return series;
  const length = Date.parse(series.to) - Date.parse(series.from);
  const from = Date.parse(point.at) - length;
  const gap = newest !== undefined && isBehind(series, point) ? [nothingAt(newest.at, series.step)] : [];
  return {
    ...series,
    from: new Date(from).toISOString(),
    to: point.at,
    points: [...series.points, ...gap, point].filter(({ at }) => Date.parse(at) >= from),
  };
}

/** Whether points are missing between the series and a newer point. */
export function isBehind(series: ClusterSeriesShape, point: ClusterPoint): boolean {
  const newest = series.points.at(-1);
  return newest !== undefined && Date.parse(point.at) - Date.parse(newest.at) > series.step * 1_500;
}

function nothingAt(before: string, step: number): ClusterPoint {
  const at = new Date(Date.parse(before) + step * 1_000).toISOString();
  return {
    at,
    pages: null,
    bytes: null,
    errors: null,
    queued: null,
    running: null,
    pending: null,
    nodes: null,
  };
}

export function columnsOf({ points, from, to }: ClusterSeriesShape): ClusterColumns {
  const each = (read: (point: ClusterPoint) => number | null): Values => points.map(read);
  const seen = new Set(
    points.flatMap(({ nodes }) => Object.keys(nodes ?? {}).filter((name) => nodes?.[name])),
  );
  return {
    times: points.map(({ at }) => unixSeconds(at)),
    from: unixSeconds(from),
    to: unixSeconds(to),
    pages: each((point) => point.pages),
    bytes: each((point) => point.bytes),
    errorShare: each(errorShareOf),
    queued: each((point) => point.queued),
    running: each((point) => point.running),
    pending: each((point) => point.pending),
    nodes: NODE_STATES.filter((status) => status === "online" || seen.has(status)).map((status) => ({
      status,
      values: each(({ nodes }) => (nodes === null ? null : (nodes[status] ?? 0))),
    })),
  };
}

/** How many of all requests failed (0 … 1): none where nothing was asked for. */
function errorShareOf({ pages, errors }: ClusterPoint): number | null {
  if (pages === null || errors === null) return null;
  return errors === 0 ? 0 : errors / (pages + errors);
}
