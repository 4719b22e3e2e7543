import { expect, test } from "vitest";
import type { TaskShape } from "@/api/schema";
import { loadDraft } from "@/pages/newCrawl/draft";
import { keepForNewTask, requestOf } from "@/pages/task/runAgain";

const TASK: TaskShape = {
  id: "task-1",
  project_id: "shop",
  task_type: "web_crawl",
  parameters: { url: "https://shop.example/" } as unknown as TaskShape["parameters"],
  priority: 7,
  min_resources: { memory_mb: 512 },
  capabilities: {},
  content_features: {},
  status: "failed",
  created_at: "2026-11-15T10:00:00Z",
  updated_at: "2026-11-15T10:00:00Z",
  retry_count: 2,
  max_retries: 3,
  categories: [],
  max_nodes: 8,
  losses: 1,
  assigned_node: "node-1",
};

test("the request of a task has what was asked for, and nothing of what became of it", () => {
  expect(requestOf(TASK)).toEqual({
    task_type: "web_crawl",
    parameters: { url: "https://shop.example/" },
    project_id: "shop",
    priority: 7,
    min_resources: { memory_mb: 512 },
    max_retries: 3,
    max_nodes: 8,
  });
});

test("the page of new crawls shows the request as JSON, beside what its form has", () => {
  const before = loadDraft();
  expect(keepForNewTask(TASK)).toBe("/new?tab=json");
  expect(JSON.parse(loadDraft().json)).toEqual(requestOf(TASK));
  expect(loadDraft().values).toEqual(before.values);
});
