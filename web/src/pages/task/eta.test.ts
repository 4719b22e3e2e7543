import { describe, expect, test } from "vitest";
import type { TaskPoint } from "@/api/schema";
import { estimate, reachOf } from "@/pages/task/eta";

const NOW = Date.parse("2026-11-15T12:00:00Z");

function point(secondsAgo: number, values: Partial<TaskPoint>): TaskPoint {
  const nothing = {
    pages: null,
    bytes: null,
    errors: null,
    queued: null,
    done: null,
    dead: null,
    records: null,
  };
  return { at: new Date(NOW - secondsAgo * 1000).toISOString(), ...nothing, ...values };
}

const progress = { pages: 200, pending: 900, leased: 100, done: 240, dead: 10 };

describe("how far a crawl is", () => {
  test("the limit of pages counts where there are links enough for it", () => {
    expect(reachOf(progress, 1_000)).toEqual({ basis: "pages", done: 200, left: 800, share: 0.2 });
  });
  test("the queue counts where it ends first", () => {
    expect(reachOf(progress, 5_000)).toEqual({ basis: "queue", done: 250, left: 1_000, share: 0.2 });
  });
  test("the queue counts where there is no limit", () => {
    expect(reachOf(progress, null).basis).toBe("queue");
  });
  test("nothing is done before the beginning", () => {
    expect(reachOf({ pages: 0, pending: 0, leased: 0, done: 0, dead: 0 }, null).share).toBe(0);
  });
  test("more pages than the limit are all pages", () => {
    expect(reachOf({ ...progress, pages: 1_004 }, 1_000)).toMatchObject({ left: 0, share: 1 });
  });
});

describe("the time that is left", () => {
  test("pages by the mean rate of the last minutes", () => {
    const points = [point(600, { pages: 99 }), point(10, { pages: 3 }), point(5, { pages: 5 }), point(0, {})];
    expect(estimate(reachOf(progress, 1_000), points, NOW)).toEqual({ rate: 4, window: 5, seconds: 200 });
  });
  test("links by how many were settled, given up or not", () => {
    const points = [point(100, { done: 40, dead: 0 }), point(50, {}), point(0, { done: 235, dead: 5 })];
    expect(estimate(reachOf(progress, null), points, NOW)).toEqual({ rate: 2, window: 100, seconds: 500 });
  });
  test("nobody knows while nothing is finished", () => {
    const points = [point(100, { done: 250, dead: 0 }), point(0, { done: 250, dead: 0 })];
    expect(estimate(reachOf(progress, null), points, NOW)?.seconds).toBeNull();
  });
  test("one point is too little", () => {
    expect(estimate(reachOf(progress, null), [point(0, { done: 3, dead: 0 })], NOW)).toBeNull();
    expect(estimate(reachOf(progress, 1_000), [point(0, { pages: 3 })], NOW)).toBeNull();
    expect(estimate(reachOf(progress, 1_000), [], NOW)).toBeNull();
  });
});
