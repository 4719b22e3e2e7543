import { expect, test } from "vitest";
import { outcomeOf } from "@/pages/tasks/steering";

test("tasks that could not are grouped by the reason", () => {
  const outcome = outcomeOf("pause", [
    { id: "task-1", status: "paused" },
    { id: "task-2", error: "Task task-2 is completed and cannot become paused; possible: pending." },
    { id: "task-3", error: "Task task-3 is completed and cannot become paused; possible: pending." },
    { id: "task-4", error: "There is no task 'task-4'." },
  ]);
  expect(outcome.done).toEqual(["task-1"]);
  expect(outcome.refused).toEqual([
    { reason: "It is completed and cannot become paused; possible: pending.", ids: ["task-2", "task-3"] },
    { reason: "There is no task.", ids: ["task-4"] },
  ]);
});
