import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useLocation } from "react-router";
import { beforeEach, expect, test } from "vitest";
import type { NodeShape } from "@/api/schema";
import type { Role } from "@/app/session";
import { LiveProvider } from "@/live/LiveProvider";
import { type Asked, fakeApi, refusal } from "@/test/fakeApi";
import { FakeEventSource } from "@/test/fakeEventSource";
import { show } from "@/test/show";
import { Component } from "./index";
import { aNode, details } from "./testNodes";

const LIST = "GET /api/v1/nodes";
const page = (items: NodeShape[], next_cursor: string | null = null) => ({ items, next_cursor });

function Address() {
  return <output data-testid="address">{useLocation().search}</output>;
}

function showNodes(
  answers: Record<string, unknown>,
  path = "/nodes?view=table",
  role: Role = "admin",
): Asked[] {
  const asked = fakeApi(answers);
  show(
    <LiveProvider>
      <Component />
      <Address />
    </LiveProvider>,
    { path, role },
  );
  return asked;
}

const rowOf = async (name: string) =>
  (await screen.findByRole("link", { name })).closest("tr") as HTMLTableRowElement;
const changes = (asked: Asked[]) =>
  asked.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`);

beforeEach(() => FakeEventSource.install());

test("a row has all that matters of a node", async () => {
  const health = { status: "unhealthy" as const, details: details({ reason: "High resource usage" }) };
  showNodes({ [LIST]: page([aNode({ health })]) });
  const row = await rowOf("Worker 1");
  expect(within(row).getByRole("link")).toHaveAttribute("href", "/nodes/node-1");
  expect(row).toHaveTextContent("online");
  expect(row).toHaveTextContent("unhealthyIts processors or its memory are nearly used up.");
  expect(within(row).getByRole("progressbar", { name: "CPU" })).toHaveAttribute("aria-valuetext", "42%");
  expect(within(row).getByRole("progressbar", { name: "Memory" })).toHaveAttribute("aria-valuetext", "97%");
  expect(row).toHaveTextContent("↓ 2.5 MB/s ↑ 1.2 KB/s");
  expect(row).toHaveTextContent("3 of 32");
  expect(row).toHaveTextContent(/ago$/);
});

test("of a node that is away nothing is shown that was long ago", async () => {
  showNodes({ [LIST]: page([aNode({ status: "unresponsive", reason: "It sent no heartbeat in time." })]) });
  const row = await rowOf("Worker 1");
  expect(row).toHaveTextContent("silentIt sent no heartbeat in time.");
  expect(within(row).queryByRole("progressbar")).not.toBeInTheDocument();
});

test("the filter of the address is asked for, and a change of it stands there", async () => {
  const asked = showNodes({ [LIST]: page([]) }, "/nodes?status=online,draining&health=degraded");
  expect(await screen.findByText("No node matches this filter.")).toBeInTheDocument();
  expect(asked[0]?.query.getAll("status")).toEqual(["online", "draining"]);
  expect(asked[0]?.query.getAll("health")).toEqual(["degraded"]);
  await userEvent.type(screen.getByRole("textbox", { name: "Search" }), "eu-7");
  await waitFor(() => expect(asked.at(-1)?.query.get("search")).toBe("eu-7"));
  expect(screen.getByTestId("address")).toHaveTextContent("search=eu-7");
  await userEvent.click(screen.getByRole("button", { name: "Clear the filter" }));
  await waitFor(() => expect(asked.at(-1)?.query.has("status")).toBe(false));
  expect(await screen.findByText("There is no node yet.")).toBeInTheDocument();
});

test("pages go forth and back by cursor", async () => {
  showNodes({
    [LIST]: ({ query }: Asked) =>
      query.get("cursor") === "c2"
        ? page([aNode({ id: "n2", name: "Second" })])
        : page([aNode({ name: "First" })], "c2"),
  });
  await rowOf("First");
  await userEvent.click(screen.getByRole("button", { name: "Next" }));
  await rowOf("Second");
  expect(screen.getByRole("button", { name: "Next" })).toBeDisabled();
  await userEvent.click(screen.getByRole("button", { name: "Previous" }));
  await rowOf("First");
});

test("selected nodes are steered, each that it makes sense for", async () => {
  const nodes = [
    aNode(),
    aNode({ id: "node-2", name: "Worker 2", status: "maintenance" }),
    aNode({ id: "node-3", name: "C" }),
  ];
  const asked = showNodes({
    [LIST]: page(nodes),
    "POST /api/v1/nodes/node-2:resume": nodes[1],
    "POST /api/v1/nodes/node-1:drain": nodes[0],
    "POST /api/v1/nodes/node-2:drain": refusal(409, "Node node-2 cannot drain."),
  });
  await rowOf("Worker 1");
  expect(screen.queryByRole("toolbar")).not.toBeInTheDocument();
  await userEvent.click(screen.getByRole("checkbox", { name: "Select Worker 1" }));
  expect(screen.getByRole("button", { name: "Resume" })).toBeDisabled();
  await userEvent.click(screen.getByRole("checkbox", { name: "Select Worker 2" }));
  expect(screen.getByRole("toolbar")).toHaveTextContent("2 selected");
  await userEvent.click(screen.getByRole("button", { name: "Drain" }));
  expect(await screen.findByText("1 node drains.")).toBeInTheDocument();
  expect(await screen.findByText("Node node-2 cannot drain.")).toBeInTheDocument();
  expect(changes(asked)).toEqual(["POST /api/v1/nodes/node-1:drain", "POST /api/v1/nodes/node-2:drain"]);
  await waitFor(() => expect(screen.queryByRole("toolbar")).not.toBeInTheDocument());
});

test("removing asks first", async () => {
  const asked = showNodes({ [LIST]: page([aNode()]), "DELETE /api/v1/nodes/node-1": undefined });
  await rowOf("Worker 1");
  await userEvent.click(screen.getByRole("checkbox", { name: "Select all rows of this page" }));
  await userEvent.click(screen.getByRole("button", { name: "Remove" }));
  const dialog = await screen.findByRole("dialog", { name: "Remove 1 node?" });
  expect(changes(asked)).toEqual([]);
  await userEvent.click(within(dialog).getByRole("button", { name: "Remove" }));
  expect(await screen.findByText("1 node is removed.")).toBeInTheDocument();
  expect(changes(asked)).toEqual(["DELETE /api/v1/nodes/node-1"]);
});

test("operators do not remove", async () => {
  showNodes({ [LIST]: page([aNode()]) }, "/nodes?view=table", "operator");
  await rowOf("Worker 1");
  await userEvent.click(screen.getByRole("checkbox", { name: "Select Worker 1" }));
  expect(screen.getByRole("button", { name: "Drain" })).toBeInTheDocument();
  expect(screen.queryByRole("button", { name: "Remove" })).not.toBeInTheDocument();
});

test("viewers select nothing", async () => {
  showNodes({ [LIST]: page([aNode()]) }, "/nodes?view=table", "viewer");
  await rowOf("Worker 1");
  expect(screen.queryByRole("checkbox")).not.toBeInTheDocument();
});

test("cards show the same, and the choice stands in the address", async () => {
  showNodes({ [LIST]: page([aNode()]) }, "/nodes");
  const card = await screen.findByRole("article");
  expect(card).toHaveTextContent("3 of 32");
  await userEvent.click(within(card).getByRole("checkbox", { name: "Select Worker 1" }));
  expect(screen.getByRole("toolbar")).toHaveTextContent("1 selected");
  await userEvent.click(screen.getByRole("radio", { name: "Table" }));
  await rowOf("Worker 1");
  expect(screen.getByTestId("address")).toHaveTextContent("?view=table");
});

test("an administrator gets the command with a new token, and sees the node come", async () => {
  const asked = showNodes({
    [LIST]: page([]),
    "POST /api/v1/keys": { id: "key-1", name: "join", role: "node", key: "cm_new" },
  });
  await userEvent.click(await screen.findByRole("button", { name: "Add a node" }));
  const dialog = await screen.findByRole("dialog");
  const command = within(dialog).getByLabelText("Command that starts a worker");
  expect(command).toHaveTextContent(`--master-url ${window.location.origin} --join-token TOKEN`);
  await userEvent.click(within(dialog).getByRole("button", { name: "Make a join token" }));
  await waitFor(() => expect(command).toHaveTextContent("--join-token cm_new"));
  expect(dialog).toHaveTextContent("It is shown only once");
  expect(asked.find(({ path }) => path === "/api/v1/keys")?.body).toMatchObject({ role: "node" });
  const event = {
    id: 5,
    type: "node.registered",
    at: "2026-01-01T10:00:00Z",
    node_id: "node-9",
    data: { name: "Nine" },
  };
  act(() => FakeEventSource.newest.tell("events", { items: [event], skipped: 0, last_id: 5 }));
  expect(within(dialog).getByRole("link", { name: "Nine has joined." })).toHaveAttribute(
    "href",
    "/nodes/node-9",
  );
});

test("others see the command without a token", async () => {
  showNodes({ [LIST]: page([]) }, "/nodes?add=1", "viewer");
  const dialog = await screen.findByRole("dialog");
  expect(dialog).toHaveTextContent("An administrator can make one for you.");
  expect(within(dialog).queryByRole("button", { name: "Make a join token" })).not.toBeInTheDocument();
});
