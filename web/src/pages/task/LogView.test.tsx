import { screen } from "@testing-library/react";
import { createRef } from "react";
import { expect, test } from "vitest";
import { LogView } from "@/pages/task/LogView";
import { show } from "@/test/show";

test("of many lines only those in sight are in the page", () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => ({
    id: index + 1,
    task_id: "task-1",
    execution_id: "exec-1",
    node_id: "node-1",
    at: "2026-11-15T19:14:23Z",
    level: "INFO",
    message: `line ${index + 1}`,
  }));
  show(<LogView label="Log" lines={lines} follow={false} onFollow={() => {}} view={createRef()} />);
  expect(screen.getByText("line 1")).toBeVisible();
  expect(screen.getAllByText(/^line /).length).toBeLessThan(100);
});
