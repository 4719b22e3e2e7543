import { expect, test } from "vitest";
import { columnsOf, isBehind, withPoint } from "./clusterSeries";
import { aPoint, aSeries, NOTHING_KNOWN } from "./testSeries";

test("a newer point is appended and the oldest falls out", () => {
  const grown = withPoint(aSeries([aPoint(0), aPoint(1), aPoint(2)]), aPoint(3));
  expect(grown.points.map(({ pages }) => pages)).toEqual([1, 2, 3]);
  expect([grown.from, grown.to]).toEqual([aPoint(1).at, aPoint(3).at]);
});

test("a point that is there changes nothing", () => {
  const series = aSeries([aPoint(0), aPoint(1)]);
  expect(withPoint(series, aPoint(1))).toBe(series);
  expect(withPoint(series, aPoint(0))).toBe(series);
});

test("the first point of an empty series is kept", () => {
  const empty = { span: "15m", step: 5, from: aPoint(0).at, to: aPoint(10).at, points: [] } as const;
  expect(withPoint({ ...empty, points: [] }, aPoint(11)).points).toEqual([aPoint(11)]);
});

test("where points are missing, a gap comes before the new one", () => {
  const series = aSeries([aPoint(0), aPoint(1), aPoint(2), aPoint(3), aPoint(4), aPoint(5)]);
  expect(isBehind(series, aPoint(6))).toBe(false);
  expect(isBehind(series, aPoint(8))).toBe(true);
  expect(columnsOf(withPoint(series, aPoint(8))).pages).toEqual([3, 4, 5, null, 8]);
});

test("columns have seconds for times, and null where nothing is known", () => {
  const columns = columnsOf(aSeries([aPoint(0), aPoint(1, NOTHING_KNOWN), aPoint(2)]));
  expect(columns.times).toEqual([1767261600, 1767261605, 1767261610]);
  expect(columns.pages).toEqual([0, null, 2]);
  expect(columns.errorShare).toEqual([0, null, 0]);
  expect(columns.nodes).toEqual([{ status: "online", values: [3, null, 3] }]);
});

test("errors are a share of all requests, and none where nothing was asked for", () => {
  const points = [
    aPoint(0, { pages: 3, errors: 1 }),
    aPoint(1, { pages: 0, errors: 0 }),
    aPoint(2, { pages: 0, errors: 2 }),
  ];
  expect(columnsOf(aSeries(points)).errorShare).toEqual([0.25, 0, 1]);
});

test("states of nodes are those that some node was in", () => {
  const points = [aPoint(0), aPoint(1, { nodes: { online: 2, offline: 1, draining: 0 } })];
  expect(columnsOf(aSeries(points)).nodes).toEqual([
    { status: "online", values: [3, 2] },
    { status: "offline", values: [0, 1] },
  ]);
});
