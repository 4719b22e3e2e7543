/** The events that are shown, newest first: a window on all there are. */
import type { EventShape } from "@/api/schema";

export const MOST_ROWS = 500;

export interface EventRows {
  rows: EventShape[];
  paused: boolean;
  waiting: number; // events that came while it was paused
  skipped: number; // events that the stream left out
  complete: boolean; // whether nothing older is kept
}

export type Change =
  | { kind: "newest"; items: EventShape[]; limit: number } // newest first
  | { kind: "live"; items: EventShape[]; skipped: number }
  | { kind: "older"; items: EventShape[]; limit: number } // newest first
  | { kind: "pause" }
  | { kind: "continue" };

export const NO_ROWS: EventRows = { rows: [], paused: false, waiting: 0, skipped: 0, complete: false };

export function changed(state: EventRows, change: Change): EventRows {
  switch (change.kind) {
    case "newest":
      return withNewest(state, change.items, change.limit);
    case "live":
      return withLive(state, change.items, change.skipped);
    case "older":
      return withOlder(state, change.items, change.limit);
    case "pause":
      return { ...state, paused: true };
    case "continue":
      return { ...state, paused: false, waiting: 0 };
  }
}

/** What the API has. Where it does not reach what is shown, that makes way: there is no telling what is between. */
function withNewest(state: EventRows, items: EventShape[], limit: number): EventRows {
  const newest = state.rows[0]?.id ?? 0;
  if (state.paused) return { ...state, waiting: items.filter(({ id }) => id > newest).length };
  const reaches = items.length < limit || items.some(({ id }) => id <= newest);
  const merged = reaches ? merge(state.rows, items) : items;
  const complete = reaches ? state.complete || items.length < limit : false;
  return { ...state, ...cut(merged, complete), skipped: 0 };
}

function withLive(state: EventRows, items: EventShape[], skipped: number): EventRows {
  const newest = state.rows[0]?.id ?? 0;
  const fresh = items.filter(({ id }) => id > newest);
  const known = { ...state, skipped: state.skipped + skipped };
  if (state.paused) return { ...known, waiting: state.waiting + fresh.length };
  if (fresh.length === 0) return known;
  return { ...known, ...cut(merge(state.rows, fresh), state.complete) };
}

/** Whoever goes far back leaves the newest behind, so that the stream must pause. */
function withOlder(state: EventRows, items: EventShape[], limit: number): EventRows {
  const merged = merge(state.rows, items);
  const rows = merged.slice(-MOST_ROWS);
  const left = merged.length - rows.length;
  return {
    ...state,
    rows,
    complete: items.length < limit,
    paused: state.paused || left > 0,
    waiting: state.waiting + left,
  };
}

function merge(some: EventShape[], others: EventShape[]): EventShape[] {
  const byId = new Map([...some, ...others].map((event) => [event.id, event]));
  return [...byId.values()].sort((one, other) => other.id - one.id);
}

function cut(rows: EventShape[], complete: boolean): Pick<EventRows, "rows" | "complete"> {
  return rows.length > MOST_ROWS ? { rows: rows.slice(0, MOST_ROWS), complete: false } : { rows, complete };
}
