import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { EventShape } from "@/api/schema";
import { LiveProvider } from "@/live/LiveProvider";
import { fakeApi } from "@/test/fakeApi";
import { FakeEventSource } from "@/test/fakeEventSource";
import { show } from "@/test/show";
import { Component } from "./index";
import { anEvent, events } from "./testEvents";

const LIST = "GET /api/v1/events";
const answer = (items: EventShape[]) => ({ items, last_id: items[0]?.id ?? 0 });
const shownIds = () =>
  [...document.querySelectorAll<HTMLElement>("[data-event]")].map((row) => Number(row.dataset.event));

function showEvents(path = "/events") {
  show(
    <LiveProvider>
      <Component />
    </LiveProvider>,
    { path },
  );
}

function happen(items: EventShape[], skipped = 0) {
  act(() => FakeEventSource.newest.tell("events", { items, skipped, last_id: items.at(-1)?.id ?? 0 }));
}

beforeEach(() => FakeEventSource.install());

test("what happens comes on top of what has happened", async () => {
  fakeApi({ [LIST]: answer(events([2, 1])) });
  showEvents();
  await waitFor(() => expect(shownIds()).toEqual([2, 1]));
  happen([anEvent({ id: 3 }), anEvent({ id: 4, type: "node.heartbeat", node_id: "node-1" })]);
  expect(shownIds()).toEqual([3, 2, 1]);
  expect(screen.getAllByRole("link", { name: "task-3" })[0]).toHaveAttribute("href", "/tasks/task-3");
});

test("a pause holds the list, and continuing asks for what was missed", async () => {
  const known = [2, 1];
  fakeApi({ [LIST]: () => answer(events(known)) });
  showEvents();
  await waitFor(() => expect(shownIds()).toEqual([2, 1]));
  await userEvent.click(screen.getByRole("button", { name: "Pause" }));
  happen([anEvent({ id: 3 })]);
  known.unshift(3);
  expect(shownIds()).toEqual([2, 1]);
  expect(screen.getByText("1 new event waits.")).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Continue" }));
  await waitFor(() => expect(shownIds()).toEqual([3, 2, 1]));
});

test("skipped events are said, and can be loaded", async () => {
  const asked = fakeApi({
    [LIST]: ({ query }: { query: URLSearchParams }) =>
      answer(events(query.get("limit") === "500" ? [9, 8, 7, 2, 1] : [2, 1])),
  });
  showEvents("/events?types=task.completed,node.heartbeat");
  await waitFor(() => expect(shownIds()).toEqual([2, 1]));
  happen([anEvent({ id: 9 })], 2);
  expect(screen.getByText(/2 events were left out of the stream/)).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Load them" }));
  await waitFor(() => expect(shownIds()).toEqual([9, 8, 7, 2, 1]));
  expect(screen.queryByText(/left out of the stream/)).toBeNull();
  expect(asked[0]?.query.getAll("types").join()).toContain("node.heartbeat");
});

test("older ones are loaded until there are none", async () => {
  const page = Array.from({ length: 100 }, (_, n) => 200 - n);
  const asked = fakeApi({
    [LIST]: ({ query }: { query: URLSearchParams }) => answer(events(query.has("before") ? [100, 99] : page)),
  });
  showEvents();
  await userEvent.click(await screen.findByRole("button", { name: "Load older" }));
  expect(await screen.findByText("These are the oldest events that are kept.")).toBeInTheDocument();
  expect(shownIds()).toHaveLength(102);
  expect(asked.at(-1)?.query.get("before")).toBe("101");
});

test("a text is looked for in what is loaded", async () => {
  fakeApi({ [LIST]: answer([anEvent({ id: 2, data: { note: "teapot" } }), anEvent({ id: 1 })]) });
  showEvents();
  await waitFor(() => expect(shownIds()).toEqual([2, 1]));
  await userEvent.type(screen.getByLabelText("Text"), "teapot");
  await waitFor(() => expect(shownIds()).toEqual([2]));
});

test("the data of an event is there for those who open it", async () => {
  fakeApi({ [LIST]: answer([anEvent({ id: 7, data: { colour: "teal" } })]) });
  showEvents();
  const opener = await screen.findByRole("button", { name: "Show the data of event 7" });
  expect(screen.queryByText(/teal/)).toBeNull();
  await userEvent.click(opener);
  expect(screen.getByText(/"colour": "teal"/)).toBeInTheDocument();
  expect(opener).toHaveAttribute("aria-expanded", "true");
});

test("another filter is another question, and goes into the address", async () => {
  const asked = fakeApi({ [LIST]: answer([]) });
  showEvents();
  expect(await screen.findByText("No event fits these filters.")).toBeInTheDocument();
  await userEvent.click(screen.getByRole("combobox", { name: "Types" }));
  await userEvent.click(within(await screen.findByRole("listbox")).getByText("task failed"));
  await waitFor(() => expect(asked.at(-1)?.query.getAll("types")).toEqual(["task.failed"]));
});
