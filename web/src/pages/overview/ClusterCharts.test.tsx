import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useLocation } from "react-router";
import { beforeEach, expect, test, vi } from "vitest";
import type { ClusterPoint } from "@/api/schema";
import { LiveProvider } from "@/live/LiveProvider";
import { fakeApi } from "@/test/fakeApi";
import FakeChart from "@/test/fakeCharts";
import { FakeEventSource } from "@/test/fakeEventSource";
import { show } from "@/test/show";
import { ClusterCharts } from "./ClusterCharts";
import { anOverview, aPoint, aSeries, NOTHING_KNOWN } from "./testSeries";

vi.mock("uplot", () => import("@/test/fakeCharts"));

const SERIES = "GET /api/v1/system/series";
const PAGES = "Pages per second";

function Address() {
  return <output>{useLocation().search}</output>;
}

function showCharts(path = "/") {
  show(
    <LiveProvider>
      <ClusterCharts />
      <Address />
    </LiveProvider>,
    { path },
  );
}

function tell(point: ClusterPoint | null) {
  act(() => FakeEventSource.newest.tell("snapshot", { overview: anOverview(), point }));
}

async function pagesShown(values: (number | null)[]) {
  await waitFor(() => expect(FakeChart.withLine(PAGES).values(PAGES)).toEqual(values));
}

beforeEach(() => {
  FakeChart.install();
  FakeEventSource.install();
});

test("the newest point of the live stream is appended without asking again", async () => {
  const asked = fakeApi({ [SERIES]: aSeries([aPoint(0), aPoint(1), aPoint(2)]) });
  showCharts();
  await pagesShown([0, 1, 2]);
  tell(aPoint(3));
  tell(aPoint(3));
  await pagesShown([1, 2, 3]);
  tell(aPoint(4));
  await pagesShown([2, 3, 4]);
  expect(FakeChart.withLine(PAGES).range).toEqual({ min: 1767261610, max: 1767261620 });
  expect(screen.getByRole("img", { name: "Pages per second: Pages per second 4" })).toBeInTheDocument();
  expect(asked).toHaveLength(1);
});

test("a snapshot without a point changes nothing", async () => {
  fakeApi({ [SERIES]: aSeries([aPoint(0), aPoint(1)]) });
  showCharts();
  await pagesShown([0, 1]);
  tell(null);
  await pagesShown([0, 1]);
});

test("what nobody measured is a gap in every chart", async () => {
  fakeApi({ [SERIES]: aSeries([aPoint(0), aPoint(1, NOTHING_KNOWN), aPoint(2)]) });
  showCharts();
  await pagesShown([0, null, 2]);
  expect(FakeChart.withLine("Error rate").values("Error rate")).toEqual([0, null, 0]);
  expect(FakeChart.withLine("links").values("links")).toEqual([40, null, 40]);
  expect(FakeChart.withLine("online").values("online")).toEqual([3, null, 3]);
});

test("points that were missed are asked for, and are a gap until they come", async () => {
  const known = [0, 1, 2, 3, 4, 5].map((number) => aPoint(number));
  const answers = [aSeries(known)];
  let answerNow: (answer: unknown) => void = () => {};
  const later = new Promise<unknown>((resolve) => {
    answerNow = resolve;
  });
  const asked = fakeApi({ [SERIES]: () => answers.shift() ?? later });
  showCharts();
  await pagesShown([0, 1, 2, 3, 4, 5]);
  tell(aPoint(8));
  await pagesShown([3, 4, 5, null, 8]);
  await waitFor(() => expect(asked).toHaveLength(2));
  answerNow(aSeries([3, 4, 5, 6, 7, 8].map((number) => aPoint(number))));
  await pagesShown([3, 4, 5, 6, 7, 8]);
});

test("another span is asked for, stands in the address, and takes no live points", async () => {
  const asked = fakeApi({
    [SERIES]: ({ query }: { query: URLSearchParams }) =>
      query.get("span") === "6h"
        ? { ...aSeries([aPoint(0, { pages: 70 }), aPoint(24, { pages: 71 })], "6h"), step: 120 }
        : aSeries([aPoint(0)]),
  });
  showCharts();
  await pagesShown([0]);
  await userEvent.click(screen.getByRole("radio", { name: "6 hours" }));
  await pagesShown([70, 71]);
  tell(aPoint(25));
  await pagesShown([70, 71]);
  expect(screen.getByText("?span=6h")).toBeInTheDocument();
  expect(asked.map(({ query }) => query.get("span"))).toEqual(["15m", "6h"]);
});

test("the span of the address is the one that is shown", async () => {
  const asked = fakeApi({ [SERIES]: aSeries([aPoint(0)], "7d") });
  showCharts("/?span=7d");
  await pagesShown([0]);
  expect(screen.getByRole("radio", { name: "7 days" })).toBeChecked();
  expect(asked[0]?.query.get("span")).toBe("7d");
});
