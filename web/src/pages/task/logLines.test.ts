import { expect, test } from "vitest";
import type { LogLineShape } from "@/api/schema";
import { appended, asText, filtered, NO_LINES } from "@/pages/task/logLines";

function line(id: number, level = "INFO", message = `line ${id}`): LogLineShape {
  const at = "2026-11-15T19:14:23Z";
  return { id, level, message, at, task_id: "task-1", execution_id: "exec-1", node_id: "node-1" };
}

test("lines come once, whatever is answered twice", () => {
  const log = appended(appended(NO_LINES, [line(1), line(2)], 2), [line(2), line(3)], 3);
  expect(log.lines.map(({ id }) => id)).toEqual([1, 2, 3]);
  expect(log.lastId).toBe(3);
  expect(appended(log, [], 3)).toBe(log);
});

test("the oldest lines go where there are too many", () => {
  const log = appended(NO_LINES, [line(1), line(2), line(3)], 3, 2);
  expect(log).toMatchObject({ dropped: true, lastId: 3 });
  expect(log.lines.map(({ id }) => id)).toEqual([2, 3]);
});

test("lines are found by level and text", () => {
  const lines = [line(1), line(2, "WARNING", "Slow host"), line(3, "ERROR", "slow AND dead")];
  expect(filtered(lines, "all", "")).toBe(lines);
  expect(filtered(lines, "WARNING", "").map(({ id }) => id)).toEqual([2, 3]);
  expect(filtered(lines, "ERROR", "SLOW").map(({ id }) => id)).toEqual([3]);
});

test("a file has one line for each", () => {
  expect(asText([line(1), line(2, "ERROR", "no")])).toBe(
    "2026-11-15T19:14:23Z INFO node-1 line 1\n2026-11-15T19:14:23Z ERROR node-1 no\n",
  );
});
