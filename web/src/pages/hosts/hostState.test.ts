import { describe, expect, test } from "vitest";
import { HostRates } from "./hostRates";
import { activityOf, hostNameIn, isLimited, robotsOf } from "./hostState";
import { aHost } from "./testHosts";

describe("what a host is doing", () => {
  test.each([
    [{ blocked: true, running: 2, ready_in: 5 }, "blocked"],
    [{ running: 2, ready_in: 5 }, "resting"],
    [{ running: 2, ready_in: 0.4, queued: 9 }, "asking"],
    [{ queued: 9 }, "queued"],
    [{}, "idle"],
  ] as const)("%o is %s", (values, activity) => expect(activityOf(aHost(values))).toBe(activity));
});

test("a delay of zero is a limit, too", () => {
  expect(isLimited({ delay: null, slots: null, blocked: false })).toBe(false);
  expect(isLimited({ delay: 0, slots: null, blocked: false })).toBe(true);
  expect(isLimited({ delay: null, slots: null, blocked: true })).toBe(true);
});

test("a robots.txt that cannot be had is not just unknown", () => {
  const { state } = aHost({});
  expect(robotsOf({ ...state, robots_status: "unknown", failures: 0 })).toBe("unknown");
  expect(robotsOf({ ...state, robots_status: "unknown", failures: 3 })).toBe("unavailable");
  expect(robotsOf({ ...state, robots_status: "rules", failures: 3 })).toBe("rules");
});

test("what can be the name of a host", () => {
  expect(["Example.com ", "a.b.example:8080", "127.0.0.1", "例子.中国"].map(hostNameIn)).toEqual([
    "example.com",
    "a.b.example:8080",
    "127.0.0.1",
    "例子.中国",
  ]);
  expect(["", "exam", "http://example.com", "a b.com", ".com"].map(hostNameIn)).toEqual([
    null,
    null,
    null,
    null,
    null,
  ]);
});

describe("the rate of a host", () => {
  test("is known from the second look on, dead links included", () => {
    const rates = new HostRates();
    rates.note([aHost({ done: 10, dead: 0 })], 0);
    expect(rates.of("a.example")).toBeNull();
    rates.note([aHost({ done: 14, dead: 2 })], 3_000);
    expect(rates.of("a.example")).toBe(2);
    expect(rates.of("b.example")).toBeNull();
  });

  test("forgets what is long ago", () => {
    const rates = new HostRates();
    rates.note([aHost({ done: 0 })], 0);
    rates.note([aHost({ done: 1000 })], 15_000);
    rates.note([aHost({ done: 1010 })], 25_000);
    expect(rates.of("a.example")).toBe(1);
  });
});
