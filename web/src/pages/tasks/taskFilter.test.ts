import { expect, test } from "vitest";
import { changedParams, filterOf, isFiltered, moreConditions, queryOf } from "@/pages/tasks/taskFilter";

const ADDRESS =
  "status=failed&status=timeout&search=shop&type=web_crawl&project=p&node=node-1&priority=7" +
  "&after=2026-01-02T03%3A04%3A00.000Z&before=2026-02-02T03%3A04%3A00.000Z&sort=priority&limit=100";

test("the address says everything, and says it again", () => {
  const params = new URLSearchParams(ADDRESS);
  expect(changedParams(params, {}).toString()).toBe(params.toString());
  expect(queryOf(filterOf(params), "there")).toEqual({
    status: ["failed", "timeout"],
    search: "shop",
    task_type: "web_crawl",
    project_id: "p",
    node_id: "node-1",
    priority: 7,
    created_after: "2026-01-02T03:04:00.000Z",
    created_before: "2026-02-02T03:04:00.000Z",
    sort: "priority",
    limit: 100,
    cursor: "there",
  });
});

test("what nobody can mean is passed over", () => {
  const filter = filterOf(new URLSearchParams("status=odd&priority=11&after=soon&sort=size&limit=7"));
  expect(isFiltered(filter)).toBe(false);
  expect(queryOf(filter, undefined)).toEqual({ sort: "-created_at", limit: 50 });
});

test("a change goes back to the first page and leaves out what is usual", () => {
  const params = new URLSearchParams("cursor=x&page=3&sort=priority&project=p");
  expect(changedParams(params, { sort: "-created_at", status: ["paused"] }).toString()).toBe(
    "status=paused&project=p",
  );
});

test("conditions behind the fold are counted", () => {
  expect(moreConditions(filterOf(new URLSearchParams(ADDRESS)))).toBe(6);
  expect(moreConditions(filterOf(new URLSearchParams("status=failed&search=a")))).toBe(0);
});
