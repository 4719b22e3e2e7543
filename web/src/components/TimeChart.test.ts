import { expect, test, vi } from "vitest";
import { described, lonelyOf, newestOf } from "@/components/TimeChart";

vi.mock("uplot", () => import("@/test/fakeCharts"));

test("values between gaps get dots, since no line leads to them", () => {
  expect(lonelyOf([1, null, 2, 3, null, 0, null])).toEqual([0, 5]);
  expect(lonelyOf([null, null, 7])).toEqual([2]);
  expect(lonelyOf([])).toEqual([]);
});

test("the newest value is the last one that is known", () => {
  expect(newestOf([1, 0, null])).toBe(0);
  expect(newestOf([null])).toBeNull();
});

test("a chart is described by the newest values of its lines", () => {
  const lines = [
    { label: "sent", color: "red", values: [1, 2] },
    { label: "received", color: "blue", values: [null] },
  ];
  expect(described("Network", lines, (value) => `${value ?? "–"}`)).toBe("Network: sent 2, received –");
});
