/** A node over time, as charts take it. Apart from React. */
import type { NodePoint, NodeSeriesShape } from "@/api/schema";
import { unixSeconds } from "@/components/chartTimes";

type Values = (number | null)[];
export type Reading = Exclude<keyof NodePoint, "at">;

export interface NodeColumns {
  times: number[]; // Unix seconds
  from: number;
  to: number;
  values: Record<Reading, Values>;
}

const READINGS: readonly Reading[] = [
  "cpu",
  "memory",
  "load",
  "received",
  "sent",
  "disk",
  "pages",
  "active_tasks",
];

export function columnsOf({ points, from, to }: NodeSeriesShape): NodeColumns {
  const values = Object.fromEntries(
    READINGS.map((reading) => [reading, points.map((point) => point[reading])]),
  ) as Record<Reading, Values>;
  return {
    times: points.map(({ at }) => unixSeconds(at)),
    from: unixSeconds(from),
    to: unixSeconds(to),
    values,
  };
}
