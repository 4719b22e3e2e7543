import { describe, expect, test } from "vitest";
import {
  formatBytes,
  formatDuration,
  formatMoment,
  formatNumber,
  formatPercent,
  formatRelative,
  formatSeconds,
  formatShort,
} from "@/format";

describe("what is not known", () => {
  test.each([null, undefined, Number.NaN, Number.POSITIVE_INFINITY])("%s is a dash", (value) => {
    for (const format of [formatNumber, formatShort, formatBytes, formatPercent, formatDuration]) {
      expect(format(value, "en")).toBe("–");
    }
  });
});

test("numbers, as exact as asked for", () => {
  expect(formatNumber(1234567.89, "en")).toBe("1,234,568");
  expect(formatNumber(0.126, "en", 2)).toBe("0.13");
});

test("short numbers", () => {
  expect([0, 0.256, 9.5, 12_400, 3_100_000].map((value) => formatShort(value, "en"))).toEqual([
    "0",
    "0.26",
    "9.5",
    "12.4K",
    "3.1M",
  ]);
  expect(formatShort(12_400, "zh-CN")).toBe("1.2万");
});

test("sizes, in steps of a thousand", () => {
  expect([0, 999, 1_000, 1_550_000, 42_000_000, 5e18].map((value) => formatBytes(value, "en"))).toEqual([
    "0 B",
    "999 B",
    "1 KB",
    "1.6 MB",
    "42 MB",
    "5,000 PB",
  ]);
});

test("shares", () => {
  expect(formatPercent(0.4567, "en")).toBe("46%");
  expect(formatPercent(0.4567, "en", 1)).toBe("45.7%");
});

test("how long ago, and how long until", () => {
  const now = Date.parse("2026-01-01T12:00:00Z");
  const at = (seconds: number) => formatRelative(now + seconds * 1000, "en", now);
  expect([at(0), at(-59), at(-60), at(-7_200), at(-3 * 86_400), at(90)]).toEqual([
    "now",
    "59 seconds ago",
    "1 minute ago",
    "2 hours ago",
    "3 days ago",
    "in 2 minutes",
  ]);
  expect(formatRelative(now - 60_000, "zh-CN", now)).toBe("1分钟前");
});

test("moments have a date and a time", () => {
  const shown = formatMoment(new Date(2026, 0, 2, 13, 5, 7), "en");
  expect(shown).toContain("Jan 2, 2026");
  expect(shown).toContain("1:05:07");
});

test("spans, in the two largest units", () => {
  expect([0, 0.25, 12, 59.6, 65, 3_660, 90_000].map((value) => formatDuration(value, "en"))).toEqual([
    "0 sec",
    "250 ms",
    "12 sec",
    "1 min 0 sec",
    "1 min 5 sec",
    "1 hr 1 min",
    "1 day 1 hr",
  ]);
});

test("seconds as exact as they were given", () => {
  expect([0, 0.5, 2.5, 12, 90].map((value) => formatSeconds(value, "en"))).toEqual([
    "0 sec",
    "500 ms",
    "2.5 sec",
    "12 sec",
    "1 min 30 sec",
  ]);
});
