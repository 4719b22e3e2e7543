/** How far a crawl is, and when it may be through. */
import type { ProgressShape, TaskPoint } from "@/api/schema";

export const RATE_WINDOW = 300; // seconds: the rate is that of the last five minutes

/** What ends the crawl as things stand: its limit of pages, or that no known link is left. */
export type Basis = "pages" | "queue";

export interface Reach {
  basis: Basis;
  done: number;
  left: number;
  share: number; // 0 … 1
}

export interface Estimate {
  seconds: number | null; // null: nothing was finished in the window
  rate: number; // pages or links per second
  window: number; // seconds that were looked at
}

type Counters = Pick<ProgressShape, "pages" | "pending" | "leased" | "done" | "dead">;

/** What is done and what is left. The limit counts where there are links enough to reach it. */
export function reachOf(progress: Counters, maxPages: number | null): Reach {
  const queue = progress.pending + progress.leased;
  const pagesLeft = maxPages === null ? Number.POSITIVE_INFINITY : Math.max(0, maxPages - progress.pages);
  const basis: Basis = pagesLeft <= queue ? "pages" : "queue";
  const done = basis === "pages" ? progress.pages : progress.done + progress.dead;
  const left = basis === "pages" ? pagesLeft : queue;
  return { basis, done, left, share: done + left === 0 ? 0 : done / (done + left) };
}

/** The time that is left at the rate of the last minutes; null where too little was measured. */
export function estimate(reach: Reach, points: TaskPoint[], now: number): Estimate | null {
  const recent = points
    .map((point) => ({ ...point, seconds: new Date(point.at).getTime() / 1000 }))
    .filter(({ seconds }) => seconds >= now / 1000 - RATE_WINDOW);
  const rate = reach.basis === "pages" ? pageRate(recent) : linkRate(recent);
  if (rate === null) return null;
  return { rate: rate.value, window: rate.window, seconds: rate.value > 0 ? reach.left / rate.value : null };
}

interface Rate {
  value: number;
  window: number;
}

type Timed = TaskPoint & { seconds: number };

function pageRate(points: Timed[]): Rate | null {
  const known = points.filter((point): point is Timed & { pages: number } => point.pages !== null);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined || first === last) return null;
  const sum = known.reduce((total, { pages }) => total + pages, 0);
  return { value: sum / known.length, window: last.seconds - first.seconds };
}

/** Links that were settled, whatever came of them. */
function linkRate(points: Timed[]): Rate | null {
  const known = points.filter(({ done }) => done !== null);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined || last.seconds <= first.seconds) return null;
  const settled = (point: Timed) => (point.done ?? 0) + (point.dead ?? 0);
  const window = last.seconds - first.seconds;
  return { value: Math.max(0, settled(last) - settled(first)) / window, window };
}
