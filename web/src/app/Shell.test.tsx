import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import { SESSION_KEY } from "@/api/queryClient";
import { Shell } from "@/app/Shell";
import type { Role } from "@/app/session";
import { LiveProvider } from "@/live/LiveProvider";
import { fakeApi } from "@/test/fakeApi";
import { FakeEventSource } from "@/test/fakeEventSource";
import { show } from "@/test/show";

beforeEach(() => FakeEventSource.install());

function showShell(role: Role, path = "/") {
  const shown = show(
    <LiveProvider>
      <Shell />
    </LiveProvider>,
    { role, path },
  );
  const navigation = within(screen.getByRole("navigation", { name: "Main navigation" }));
  return { ...shown, places: () => navigation.getAllByRole("link").map((link) => link.textContent?.trim()) };
}

test("a viewer sees no way to a new crawl", () => {
  const { places } = showShell("viewer");
  expect(places()).toEqual([
    "Overview",
    "Tasks",
    "Nodes",
    "Hosts",
    "Events",
    "Settings",
    "API documentation",
  ]);
});

test.each(["operator", "admin"] as const)("an %s does", (role) => {
  const { places } = showShell(role);
  expect(places()).toContain("New crawl");
});

test("the place where one is, is marked, also for what is below it", () => {
  showShell("viewer", "/tasks/task-1");
  expect(screen.getByRole("link", { current: "page" })).toHaveTextContent("Tasks");
});

test("signing out forgets who was there", async () => {
  const asked = fakeApi({ "DELETE /api/v1/session": undefined });
  const { client } = showShell("viewer");
  await userEvent.click(screen.getByRole("button", { name: "Account" }));
  expect(await screen.findByText("Signed in as test (viewer)")).toBeInTheDocument();
  await userEvent.click(screen.getByRole("menuitem", { name: "Sign out" }));
  await waitFor(() => expect(asked).toHaveLength(1));
  await waitFor(() => expect(client.getQueryData(SESSION_KEY)).toBeNull());
});
