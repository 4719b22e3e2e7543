import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { AttentionShape, OverviewShape } from "@/api/schema";
import type { Role } from "@/app/session";
import { LiveProvider } from "@/live/LiveProvider";
import { fakeApi } from "@/test/fakeApi";
import { FakeEventSource } from "@/test/fakeEventSource";
import { show } from "@/test/show";
import { Component } from "./index";
import { anOverview, aPoint, aSeries } from "./testSeries";

interface Cluster {
  overview?: OverviewShape;
  attention?: AttentionShape[];
  more?: number;
  role?: Role;
}

function showOverview({ overview = anOverview(), attention = [], more = 0, role = "admin" }: Cluster = {}) {
  fakeApi({
    "GET /api/v1/system/overview": overview,
    "GET /api/v1/system/attention": { items: attention, more },
    "GET /api/v1/system/series": aSeries([aPoint(0)]),
    "GET /api/v1/tasks": {
      items: [
        {
          id: "task-1",
          task_type: "web_crawl",
          parameters: { urls: ["https://example.com/"] },
          status: "failed",
          created_at: aPoint(0).at,
        },
      ],
      next_cursor: null,
    },
  });
  show(
    <LiveProvider>
      <Component />
    </LiveProvider>,
    { role },
  );
}

function aProblem(told: Partial<AttentionShape> = {}): AttentionShape {
  return {
    kind: "node_silent",
    severity: "error",
    subject: { type: "node", id: "node-1" },
    reason: "It has said nothing.",
    since: aPoint(0).at,
    ...told,
  };
}

beforeEach(() => FakeEventSource.install());

test("what needs attention says what, why and since when, and leads there", async () => {
  showOverview({
    attention: [
      aProblem(),
      aProblem({
        kind: "host_failing",
        severity: "warning",
        subject: { type: "host", id: "a.example:81" },
        since: null,
      }),
      aProblem({ kind: "filter_nearly_full", severity: "info", subject: { type: "filter", id: "task-7" } }),
      aProblem({ kind: "crawl_store_away", subject: { type: "store", id: "db" } }),
    ],
  });
  const section = await screen.findByRole("region", { name: "Needs attention" });
  const [silent, failing] = within(section).getAllByRole("listitem");
  expect(silent).toHaveTextContent(/error.*Node is silent.*node-1.*since.*ago.*It has said nothing\./);
  expect(failing).not.toHaveTextContent("since");
  const links = within(section).getAllByRole("link");
  expect(links.map((link) => link.getAttribute("href"))).toEqual([
    "/nodes/node-1",
    "/hosts?search=a.example%3A81",
    "/tasks/task-7",
  ]);
});

test("many problems are shown when asked for", async () => {
  const attention = Array.from({ length: 9 }, (_, n) =>
    aProblem({ subject: { type: "node", id: `node-${n}` } }),
  );
  showOverview({ attention, more: 4 });
  const section = await screen.findByRole("region", { name: "Needs attention" });
  expect(within(section).getAllByRole("listitem")).toHaveLength(6);
  await userEvent.click(within(section).getByRole("button", { name: "Show 3 more" }));
  expect(within(section).getAllByRole("listitem")).toHaveLength(9);
  expect(section).toHaveTextContent("There are 4 more that are not listed.");
});

test("a cluster that is well says so, in numbers too", async () => {
  showOverview();
  expect(await screen.findByText(/nothing needs your attention/)).toBeInTheDocument();
  const tiles = await screen.findByRole("region", { name: "The cluster now" });
  expect(tiles).toHaveTextContent("Nodes online3 of 4");
  expect(tiles).toHaveTextContent("Slots in use5 of 32");
  expect(tiles).toHaveTextContent("Leading mastermaster-1");
  expect(screen.queryByText("Getting started")).not.toBeInTheDocument();
  expect(await screen.findByRole("link", { name: "https://example.com/" })).toHaveAttribute(
    "href",
    "/tasks/task-1",
  );
});

test("an empty cluster says what to do first", async () => {
  showOverview({ overview: anOverview({ nodes: {}, nodes_total: 0, tasks_total: 0 }) });
  expect(await screen.findByRole("link", { name: "How to add a node" })).toHaveAttribute(
    "href",
    "/nodes?add=1",
  );
  expect(screen.getByRole("link", { name: "New crawl" })).toHaveAttribute("href", "/new");
});

test("who may not start crawls is not asked to", async () => {
  showOverview({ overview: anOverview({ tasks_total: 0 }), role: "viewer" });
  expect(await screen.findByText(/Ask an operator/)).toBeInTheDocument();
  expect(screen.queryByRole("link", { name: "New crawl" })).not.toBeInTheDocument();
});
