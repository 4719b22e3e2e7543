import { describe, expect, test } from "vitest";
import { changed, type EventRows, MOST_ROWS, NO_ROWS } from "./eventRows";
import { events } from "./testEvents";

const idsOf = ({ rows }: EventRows) => rows.map(({ id }) => id);
const downFrom = (newest: number, count: number) =>
  events(Array.from({ length: count }, (_, n) => newest - n));
const loaded = (ids: number[], limit = 100) =>
  changed(NO_ROWS, { kind: "newest", items: events(ids), limit });

describe("events that are shown", () => {
  test("come newest first, each once", () => {
    const state = changed(loaded([3, 2]), { kind: "live", items: events([3, 4, 5]), skipped: 0 });
    expect(idsOf(state)).toEqual([5, 4, 3, 2]);
  });

  test("are all there are where a page is not full", () => {
    expect(loaded([3, 2], 3).complete).toBe(true);
    expect(loaded([3, 2], 2).complete).toBe(false);
  });

  test("are never more than the browser can bear", () => {
    const full = loaded(
      downFrom(MOST_ROWS, MOST_ROWS).map(({ id }) => id),
      MOST_ROWS + 1,
    );
    const state = changed(full, { kind: "live", items: events([MOST_ROWS + 1]), skipped: 0 });
    expect(state.rows).toHaveLength(MOST_ROWS);
    expect([idsOf(state)[0], state.complete]).toEqual([MOST_ROWS + 1, false]);
  });

  test("make way for newer ones that do not reach them", () => {
    const state = changed(loaded([3, 2]), { kind: "newest", items: events([9, 8]), limit: 2 });
    expect(idsOf(state)).toEqual([9, 8]);
    expect(state.complete).toBe(false);
  });

  test("grow at both ends otherwise", () => {
    const newer = changed(loaded([3, 2], 2), { kind: "newest", items: events([4, 3]), limit: 2 });
    const state = changed(newer, { kind: "older", items: events([1]), limit: 2 });
    expect(idsOf(state)).toEqual([4, 3, 2, 1]);
    expect(state.complete).toBe(true);
  });
});

describe("a pause", () => {
  test("counts what waits and changes no row, until it is over", () => {
    const paused = changed(loaded([3, 2]), { kind: "pause" });
    const later = changed(paused, { kind: "live", items: events([4, 5]), skipped: 0 });
    expect(idsOf(later)).toEqual([3, 2]);
    expect(later.waiting).toBe(2);
    const asked = changed(later, { kind: "newest", items: events([6, 5, 4, 3]), limit: 100 });
    expect([asked.waiting, idsOf(asked)[0]]).toEqual([3, 3]);
    const over = changed(asked, { kind: "continue" });
    expect([over.waiting, over.paused]).toEqual([0, false]);
  });

  test("comes by itself where somebody goes far back", () => {
    const full = loaded(
      downFrom(1000, MOST_ROWS).map(({ id }) => id),
      MOST_ROWS,
    );
    const state = changed(full, { kind: "older", items: downFrom(500, 100), limit: 100 });
    expect(state.rows).toHaveLength(MOST_ROWS);
    expect([state.paused, state.waiting, idsOf(state).at(-1)]).toEqual([true, 100, 401]);
  });
});

test("what was skipped is counted until it is loaded", () => {
  const state = changed(loaded([3]), { kind: "live", items: events([9]), skipped: 5 });
  expect(state.skipped).toBe(5);
  expect(changed(state, { kind: "newest", items: events([9, 8, 7, 6, 5, 4, 3]), limit: 500 }).skipped).toBe(
    0,
  );
});
