import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { TaskShape, TaskStatus } from "@/api/schema";
import { Component as Tasks } from "@/pages/tasks";
import { type Asked, fakeApi } from "@/test/fakeApi";
import { show } from "@/test/show";

vi.setConfig({ testTimeout: 20_000 }); // whole pages take their time where many tests run at once

function task(number: number, status: TaskStatus = "processing"): TaskShape {
  return {
    id: `task-${number}`,
    project_id: "shop",
    task_type: "web_crawl",
    parameters: { url: `https://shop.example/${number}` } as unknown as TaskShape["parameters"],
    priority: 5,
    min_resources: {},
    capabilities: {},
    content_features: {},
    status,
    created_at: "2026-11-15T10:00:00Z",
    updated_at: "2026-11-15T10:01:00Z",
    retry_count: 0,
    max_retries: 3,
    categories: [],
    max_nodes: 8,
    losses: 0,
  };
}

const STATS = { total: 3, by_status: { processing: 2, failed: 1_234_567 }, recent: 0, retries: 0 };

/** A cluster with three tasks on two pages; what it is asked is kept. */
function cluster() {
  const asked = fakeApi({
    "GET /api/v1/tasks/stats": STATS,
    "GET /api/v1/tasks": ({ query }: Asked) =>
      query.get("cursor") === "second"
        ? { items: [task(3)], next_cursor: null }
        : { items: [task(1), task(2, "completed")], next_cursor: "second" },
    "POST /api/v1/tasks:pause": {
      tasks: [
        { id: "task-1", status: "paused" },
        { id: "task-2", error: "Task task-2 is completed and cannot become paused; possible: pending." },
      ],
    },
    "POST /api/v1/tasks:cancel": { tasks: [{ id: "task-1", status: "cancelled" }] },
    "POST /api/v1/tasks:prioritize": { tasks: [{ id: "task-1", status: "processing" }] },
  });
  return {
    lists: () => asked.filter(({ path }) => path === "/api/v1/tasks").map(({ query }) => query),
    orders: () => asked.filter(({ method }) => method === "POST").map(({ path, body }) => ({ path, body })),
  };
}

test("statuses have the counts that the master keeps, and choosing some asks for those", async () => {
  const { lists } = cluster();
  show(<Tasks />);
  expect(await screen.findByTestId("count-failed")).toHaveTextContent("1.2M");
  await userEvent.click(screen.getByRole("checkbox", { name: /failed/ }));
  await userEvent.click(screen.getByRole("checkbox", { name: /running/ }));
  await waitFor(() => expect(lists().at(-1)?.getAll("status")).toEqual(["failed", "processing"]));
});

test("the address says which tasks are shown", async () => {
  const { lists } = cluster();
  show(<Tasks />, { path: "/tasks?search=lamp&project=shop&priority=7&sort=priority&limit=25" });
  await screen.findByText("https://shop.example/1");
  expect(Object.fromEntries(lists()[0] ?? [])).toEqual({
    results: "false",
    search: "lamp",
    project_id: "shop",
    priority: "7",
    sort: "priority",
    limit: "25",
  });
  expect(screen.getByRole("searchbox", { name: "Search" })).toHaveValue("lamp");
});

test("a click on a column sorts by it, the highest first, then the lowest", async () => {
  const { lists } = cluster();
  show(<Tasks />);
  await screen.findByText("https://shop.example/1");
  await userEvent.click(screen.getByRole("button", { name: /Priority/ }));
  await waitFor(() => expect(lists().at(-1)?.get("sort")).toBe("-priority"));
  expect(screen.getByRole("columnheader", { name: /Priority/ })).toHaveAttribute("aria-sort", "descending");
  await userEvent.click(screen.getByRole("button", { name: /Priority/ }));
  await waitFor(() => expect(lists().at(-1)?.get("sort")).toBe("priority"));
});

test("typing asks once it rests", async () => {
  const { lists } = cluster();
  show(<Tasks />);
  await screen.findByText("https://shop.example/1");
  await userEvent.type(screen.getByRole("searchbox", { name: "Search" }), "kettle");
  await waitFor(() => expect(lists().at(-1)?.get("search")).toBe("kettle"));
  expect(lists().filter((params) => params.has("search"))).toHaveLength(1);
});

test("one request for each page, forth and back", async () => {
  const { lists } = cluster();
  show(<Tasks />);
  await screen.findByText("https://shop.example/1");
  expect(lists()).toHaveLength(1);
  await userEvent.click(screen.getByRole("button", { name: "Next" }));
  expect(await screen.findByText("https://shop.example/3")).toBeVisible();
  expect(screen.getByText("Page 2")).toBeVisible();
  expect(screen.getByRole("button", { name: "Next" })).toBeDisabled();
  expect(lists()).toHaveLength(2);
  await userEvent.click(screen.getByRole("button", { name: "Previous" }));
  expect(await screen.findByText("https://shop.example/1")).toBeVisible();
  expect(screen.getByText("Page 1")).toBeVisible();
});

test("who comes by the address of a page sees it, and Previous leads to the first", async () => {
  cluster();
  show(<Tasks />, { path: "/tasks?cursor=second&page=4" });
  expect(await screen.findByText("https://shop.example/3")).toBeVisible();
  expect(screen.getByText("Page 4")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Previous" }));
  expect(await screen.findByText("https://shop.example/1")).toBeVisible();
  expect(screen.getByText("Page 1")).toBeVisible();
});

test("an order to many says what was not possible and why, and keeps that selected", async () => {
  const { orders } = cluster();
  show(<Tasks />);
  await screen.findByText("https://shop.example/1");
  await userEvent.click(screen.getByRole("checkbox", { name: "Select all rows of this page" }));
  const bar = screen.getByRole("toolbar");
  expect(within(bar).getByText("2 selected")).toBeVisible();
  await userEvent.click(within(bar).getByRole("button", { name: "Pause" }));
  const summary = await screen.findByText("1 task was left as it was");
  expect(summary).toBeVisible();
  expect(orders()).toEqual([{ path: "/api/v1/tasks:pause", body: { ids: ["task-1", "task-2"] } }]);
  expect(screen.getByText("1 task paused.")).toBeVisible();
  expect(screen.getByText(/It is completed and cannot become paused/)).toBeVisible();
  expect(screen.getByRole("link", { name: "task-2" })).toHaveAttribute("href", "/tasks/task-2");
  expect(within(bar).getByText("1 selected")).toBeVisible();
});

test("cancelling asks first", async () => {
  const { orders } = cluster();
  show(<Tasks />);
  await screen.findByText("https://shop.example/1");
  await userEvent.click(screen.getByRole("checkbox", { name: /task-1/ }));
  await userEvent.click(within(screen.getByRole("toolbar")).getByRole("button", { name: "Cancel" }));
  const dialog = await screen.findByRole("dialog");
  expect(orders()).toEqual([]);
  await userEvent.click(within(dialog).getByRole("button", { name: "Cancel the task" }));
  expect(await screen.findByText("1 task cancelled.")).toBeVisible();
});

test("many tasks get another priority", async () => {
  const { orders } = cluster();
  show(<Tasks />);
  await screen.findByText("https://shop.example/1");
  await userEvent.click(screen.getByRole("checkbox", { name: /task-1/ }));
  await userEvent.click(screen.getByRole("button", { name: "Set priority" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "9" }));
  expect(await screen.findByText("1 task has the new priority.")).toBeVisible();
  expect(orders()).toEqual([{ path: "/api/v1/tasks:prioritize", body: { ids: ["task-1"], priority: 9 } }]);
});

test("viewers select nothing", async () => {
  cluster();
  show(<Tasks />, { role: "viewer" });
  await screen.findByText("https://shop.example/1");
  expect(screen.queryByRole("checkbox", { name: /Select/ })).toBeNull();
  expect(screen.queryByRole("link", { name: "New crawl" })).toBeNull();
});
