import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Route, Routes } from "react-router";
import { beforeEach, expect, test, vi } from "vitest";
import type { ExecutionShape, NodePoint, NodeShape } from "@/api/schema";
import type { Role } from "@/app/session";
import { aNode, details } from "@/pages/nodes/testNodes";
import { type Asked, fakeApi } from "@/test/fakeApi";
import FakeChart from "@/test/fakeCharts";
import { show } from "@/test/show";
import { Component } from "./index";

vi.mock("uplot", () => import("@/test/fakeCharts"));

const AT = "2026-01-01T10:00:00Z";
const ONE = "/api/v1/nodes/node-1";

function aPoint(told: Partial<NodePoint> | null): NodePoint {
  const nothing = {
    cpu: null,
    memory: null,
    load: null,
    received: null,
    sent: null,
    disk: null,
    pages: null,
    active_tasks: null,
  };
  return { at: AT, ...nothing, ...told };
}

function anExecution(id: string, status: ExecutionShape["status"]): ExecutionShape {
  const ended =
    status === "running" ? {} : { end_time: "2026-01-01T10:01:05Z", ended_by: "finished" as const };
  return {
    id,
    task_id: `task-${id}`,
    node_id: "node-1",
    start_time: AT,
    status,
    metrics: {},
    retry_count: 0,
    strategy: "least_loaded",
    choice: "",
    fence: 1,
    ...ended,
  };
}

function showNode(node: NodeShape, answers: Record<string, unknown> = {}, role: Role = "admin"): Asked[] {
  const asked = fakeApi({
    [`GET ${ONE}`]: node,
    [`GET ${ONE}/series`]: {
      span: "15m",
      step: 5,
      from: AT,
      to: "2026-01-01T10:00:10Z",
      points: [
        aPoint({ cpu: 0.2, received: 100, sent: 50 }),
        aPoint(null),
        aPoint({ cpu: 0.4, received: 300, sent: 70 }),
      ],
    },
    [`GET ${ONE}/executions`]: {
      items: [anExecution("b", "completed"), anExecution("a", "running")],
      next_cursor: null,
    },
    [`GET ${ONE}/stats`]: {
      node_id: "node-1",
      status: "online",
      running: 1,
      slots: 32,
      completed: 9,
      failed: 1,
      by_end: { finished: 9, node_lost: 1 },
      success_rate: 0.9,
      mean_duration: 65,
      pages_crawled: 1_234,
      data_size: 5_600_000,
      load: 0.5,
      usage: {},
    },
    "GET /api/v1/events": {
      items: [
        {
          id: 2,
          type: "node.health_changed",
          at: AT,
          node_id: "node-1",
          data: { old_status: "healthy", new_status: "degraded" },
        },
        { id: 1, type: "task.assigned", at: AT, node_id: "node-1", task_id: "task-a", data: {} },
      ],
      last_id: 2,
    },
    ...answers,
  });
  show(
    <Routes>
      <Route path="/nodes/:nodeId" element={<Component />} />
      <Route path="/nodes" element="all nodes" />
    </Routes>,
    { path: "/nodes/node-1", role },
  );
  return asked;
}

beforeEach(() => FakeChart.install());

test("a node's page says how it is, what it does, what it can and how it fared", async () => {
  const health = {
    status: "degraded" as const,
    details: details({ reason: "High task latency", latency: 75 }),
    timestamp: AT,
  };
  showNode(aNode({ health, capabilities: details({ technologies: ["react", "vue"] }) }));
  expect(await screen.findByRole("heading", { level: 1, name: "Worker 1" })).toBeInTheDocument();
  const state = screen.getByRole("region", { name: "State" });
  expect(state).toHaveTextContent("degradedIts tasks take long.");
  expect(state).toHaveTextContent("Latency of tasks: 1 min 15 sec");
  const runs = await screen.findByRole("link", { name: "task-a" });
  expect(runs).toHaveAttribute("href", "/tasks/task-a");
  const rows = within(screen.getByRole("table", { name: "Table of executions" }))
    .getAllByRole("row")
    .slice(1);
  expect(rows.map((row) => row.textContent?.slice(0, 6))).toEqual(["task-a", "task-b"]);
  expect(rows[1]).toHaveTextContent("1 min 5 sec");
  expect(screen.getByRole("region", { name: "What it offers" })).toHaveTextContent("technologiesreact, vue");
  expect(await screen.findByText("90%")).toBeInTheDocument();
  expect(screen.getByText("node lost: 1")).toBeInTheDocument();
  expect(await screen.findByText("Health: healthy → degraded")).toBeInTheDocument();
});

test("its charts have gaps where it was silent", async () => {
  showNode(aNode());
  await waitFor(() => expect(FakeChart.withLine("CPU").values("CPU")).toEqual([0.2, null, 0.4]));
  expect(screen.getByRole("img", { name: "CPU: CPU 40%" })).toBeInTheDocument();
  expect(FakeChart.withLine("sent").values("received")).toEqual([100, null, 300]);
});

test("heartbeats are not among its events", async () => {
  const asked = showNode(aNode());
  await screen.findByText("Health: healthy → degraded");
  const types = asked.find(({ path }) => path === "/api/v1/events")?.query.getAll("types");
  expect(types).toContain("node.status_changed");
  expect(types).not.toContain("node.heartbeat");
});

test("a node that is removed is left", async () => {
  showNode(aNode(), { [`DELETE ${ONE}`]: undefined });
  await userEvent.click(await screen.findByRole("button", { name: "Remove" }));
  await userEvent.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Remove" }));
  expect(await screen.findByText("all nodes")).toBeInTheDocument();
});

test("viewers look on", async () => {
  showNode(aNode(), {}, "viewer");
  await screen.findByRole("heading", { level: 1, name: "Worker 1" });
  expect(screen.queryByRole("button", { name: "Drain" })).not.toBeInTheDocument();
});

test("a node that does not exist is said not to", async () => {
  fakeApi({});
  show(
    <Routes>
      <Route path="/nodes/:nodeId" element={<Component />} />
    </Routes>,
    { path: "/nodes/nobody" },
  );
  expect(await screen.findByRole("heading", { name: "There is no such node" })).toBeInTheDocument();
  expect(screen.getByRole("link", { name: "All nodes" })).toHaveAttribute("href", "/nodes");
});
