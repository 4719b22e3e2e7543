import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test } from "vitest";
import type { FailureShape, ProgressShape, TaskShape } from "@/api/schema";
import { FailuresTab } from "@/pages/task/FailuresTab";
import { type Asked, fakeApi } from "@/test/fakeApi";
import { show } from "@/test/show";

const TASK = { id: "task-1", task_type: "web_crawl", status: "completed", parameters: {} } as TaskShape;
const PROGRESS = { dead: 1_203, by_reason: { http_404: 3, dns: 1_200 } } as unknown as ProgressShape;

function failure(path: string, reason: string): FailureShape {
  const url = `https://shop.example${path}`;
  return {
    url,
    host: "shop.example",
    reason,
    http_status: null,
    attempts: 3,
    at: "2026-11-15T10:00:00Z",
    link_id: 1,
  };
}

/** A crawl with three URLs that were given up; what is asked is kept. */
function crawl() {
  const all = [failure("/a", "dns"), failure("/b", "http_404"), failure("/c", "dns")];
  const asked = fakeApi({
    "GET /api/v1/tasks/task-1/failures": ({ query }: Asked) => {
      const reason = query.get("reason");
      return { items: all.filter((each) => reason === null || each.reason === reason), next_cursor: null };
    },
    "POST /api/v1/tasks/task-1:retry-failed": { ...TASK, status: "pending" },
  });
  return {
    reasons: () => asked.filter(({ method }) => method === "GET").map(({ query }) => query.get("reason")),
    bodies: () => asked.filter(({ method }) => method === "POST").map(({ body }) => body),
  };
}

function Shown() {
  const [reason, setReason] = useState("");
  return <FailuresTab task={TASK} progress={PROGRESS} reason={reason} onReason={setReason} />;
}

test("a selection is tried once more, and then nothing is selected", async () => {
  const { bodies } = crawl();
  show(<Shown />);
  const selected = await screen.findByRole("button", { name: "Retry 0 selected" });
  expect(selected).toBeDisabled();
  await userEvent.click(screen.getByRole("checkbox", { name: /\/a$/ }));
  await userEvent.click(screen.getByRole("checkbox", { name: /\/b$/ }));
  await userEvent.click(screen.getByRole("button", { name: "Retry 2 selected" }));
  await waitFor(() =>
    expect(bodies()).toEqual([{ urls: ["https://shop.example/a", "https://shop.example/b"] }]),
  );
  expect(await screen.findByRole("button", { name: "Retry 0 selected" })).toBeDisabled();
});

test("a reason shows only its URLs, and all of it are tried once more", async () => {
  const { bodies, reasons } = crawl();
  show(<Shown />);
  await screen.findByText("https://shop.example/b");
  await userEvent.click(screen.getByRole("button", { name: "dns · 1,200" }));
  await waitFor(() => expect(screen.queryByText("https://shop.example/b")).toBeNull());
  expect(reasons().at(-1)).toBe("dns");
  expect(screen.getByText("The name does not resolve.")).toBeVisible();
  await userEvent.click(await screen.findByRole("button", { name: "Retry all with dns (1,200)" }));
  await waitFor(() => expect(bodies()).toEqual([{ reason: "dns" }]));
});

test("all are tried once more", async () => {
  const { bodies } = crawl();
  show(<Shown />);
  await userEvent.click(await screen.findByRole("button", { name: "Retry all (1,203)" }));
  await waitFor(() => expect(bodies()).toEqual([{}]));
});

test("viewers see them and retry nothing", async () => {
  crawl();
  show(<Shown />, { role: "viewer" });
  expect(await screen.findByText("https://shop.example/a")).toBeVisible();
  expect(screen.queryByRole("button", { name: /Retry/ })).toBeNull();
  expect(screen.queryByRole("checkbox")).toBeNull();
});
