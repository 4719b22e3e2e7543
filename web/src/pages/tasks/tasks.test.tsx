import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { TaskShape, TaskStatus } from "@/api/schema";
import { Component as Tasks } from "@/pages/tasks";
import { show } from "@/test/show";

function task(number: number, status: TaskStatus = "processing"): TaskShape {
  return {
    id: `task-${number}`,
    project_id: "shop",
    task_type: "web_crawl",
    parameters: { url: `https://shop.example/${number}` },
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

interface Asked {
  method: string;
  url: URL;
  body: unknown;
}

let asked: Asked[];

/** A master that answers by path; what is asked for is kept. */
function answerWith(answers: Record<string, (url: URL) => unknown>) {
  vi.stubGlobal("fetch", async (request: Request) => {
    const url = new URL(request.url);
    const text = request.method === "POST" ? await request.text() : "";
    asked.push({ method: request.method, url, body: text === "" ? null : JSON.parse(text) });
    const answer = answers[url.pathname];
    return answer === undefined
      ? new Response("{}", { status: 404 })
      : Response.json(answer(url), { status: 200 });
  });
}

const STATS = { total: 3, by_status: { processing: 2, failed: 1_234_567 }, recent: 0, retries: 0 };

function lists(): URLSearchParams[] {
  return asked.filter(({ url }) => url.pathname === "/api/v1/tasks").map(({ url }) => url.searchParams);
}

beforeEach(() => {
  asked = [];
  answerWith({
    "/api/v1/tasks/stats": () => STATS,
    "/api/v1/tasks": (url) =>
      url.searchParams.get("cursor") === "second"
        ? { items: [task(3)], next_cursor: null }
        : { items: [task(1), task(2, "completed")], next_cursor: "second" },
    "/api/v1/tasks:pause": () => ({
      tasks: [
        { id: "task-1", status: "paused" },
        { id: "task-2", error: "Task task-2 is completed and cannot become paused; possible: pending." },
      ],
    }),
    "/api/v1/tasks:cancel": () => ({ tasks: [{ id: "task-1", status: "cancelled" }] }),
    "/api/v1/tasks:prioritize": () => ({ tasks: [{ id: "task-1", status: "processing" }] }),
  });
});

afterEach(() => vi.unstubAllGlobals());

test("statuses have the counts that the master keeps, and choosing some asks for those", async () => {
  show(<Tasks />);
  expect(await screen.findByTestId("count-failed")).toHaveTextContent("1.2M");
  await userEvent.click(screen.getByRole("checkbox", { name: /failed/ }));
  await userEvent.click(screen.getByRole("checkbox", { name: /running/ }));
  await waitFor(() => expect(lists().at(-1)?.getAll("status")).toEqual(["failed", "processing"]));
});

test("the address says which tasks are shown", async () => {
  show(<Tasks />, { path: "/tasks?search=lamp&project=shop&priority=7&sort=priority&limit=25" });
  await screen.findByText("https://shop.example/1");
  expect(Object.fromEntries(lists()[0] ?? [])).toEqual({
    search: "lamp",
    project_id: "shop",
    priority: "7",
    sort: "priority",
    limit: "25",
  });
  expect(screen.getByRole("searchbox", { name: "Search" })).toHaveValue("lamp");
});

test("a click on a column sorts by it, the highest first, then the lowest", async () => {
  show(<Tasks />);
  await screen.findByText("https://shop.example/1");
  await userEvent.click(screen.getByRole("button", { name: /Priority/ }));
  await waitFor(() => expect(lists().at(-1)?.get("sort")).toBe("-priority"));
  expect(screen.getByRole("columnheader", { name: /Priority/ })).toHaveAttribute("aria-sort", "descending");
  await userEvent.click(screen.getByRole("button", { name: /Priority/ }));
  await waitFor(() => expect(lists().at(-1)?.get("sort")).toBe("priority"));
});

test("typing asks once it rests", async () => {
  show(<Tasks />);
  await screen.findByText("https://shop.example/1");
  await userEvent.type(screen.getByRole("searchbox", { name: "Search" }), "kettle");
  await waitFor(() => expect(lists().at(-1)?.get("search")).toBe("kettle"));
  expect(lists().filter((params) => params.has("search"))).toHaveLength(1);
});

test("one request for each page, forth and back", async () => {
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
  show(<Tasks />, { path: "/tasks?cursor=second&page=4" });
  expect(await screen.findByText("https://shop.example/3")).toBeVisible();
  expect(screen.getByText("Page 4")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Previous" }));
  expect(await screen.findByText("https://shop.example/1")).toBeVisible();
  expect(screen.getByText("Page 1")).toBeVisible();
});

test("an order to many says what was not possible and why, and keeps that selected", async () => {
  show(<Tasks />);
  await screen.findByText("https://shop.example/1");
  await userEvent.click(screen.getByRole("checkbox", { name: "Select all rows of this page" }));
  const bar = screen.getByRole("toolbar");
  expect(within(bar).getByText("2 selected")).toBeVisible();
  await userEvent.click(within(bar).getByRole("button", { name: "Pause" }));
  const summary = await screen.findByText("1 task was left as it was");
  expect(summary).toBeVisible();
  expect(asked.find(({ url }) => url.pathname.endsWith(":pause"))?.body).toEqual({
    ids: ["task-1", "task-2"],
  });
  expect(screen.getByText("1 task paused.")).toBeVisible();
  expect(screen.getByText(/It is completed and cannot become paused/)).toBeVisible();
  expect(screen.getByRole("link", { name: "task-2" })).toHaveAttribute("href", "/tasks/task-2");
  expect(within(bar).getByText("1 selected")).toBeVisible();
});

test("cancelling asks first", async () => {
  show(<Tasks />);
  await screen.findByText("https://shop.example/1");
  await userEvent.click(screen.getByRole("checkbox", { name: /task-1/ }));
  await userEvent.click(within(screen.getByRole("toolbar")).getByRole("button", { name: "Cancel" }));
  const dialog = await screen.findByRole("dialog");
  expect(asked.some(({ method }) => method === "POST")).toBe(false);
  await userEvent.click(within(dialog).getByRole("button", { name: "Cancel the task" }));
  expect(await screen.findByText("1 task cancelled.")).toBeVisible();
});

test("many tasks get another priority", async () => {
  show(<Tasks />);
  await screen.findByText("https://shop.example/1");
  await userEvent.click(screen.getByRole("checkbox", { name: /task-1/ }));
  await userEvent.click(screen.getByRole("button", { name: "Set priority" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "9" }));
  expect(await screen.findByText("1 task has the new priority.")).toBeVisible();
  expect(asked.find(({ url }) => url.pathname.endsWith(":prioritize"))?.body).toEqual({
    ids: ["task-1"],
    priority: 9,
  });
});

test("viewers select nothing", async () => {
  show(<Tasks />, { role: "viewer" });
  await screen.findByText("https://shop.example/1");
  expect(screen.queryByRole("checkbox", { name: /Select/ })).toBeNull();
  expect(screen.queryByRole("link", { name: "New crawl" })).toBeNull();
});
