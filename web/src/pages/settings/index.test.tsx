import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, test } from "vitest";
import { fakeApi, refusal } from "@/test/fakeApi";
import { show } from "@/test/show";
import { expiryOf, isDayToCome, isOver } from "./expiry";
import { Component } from "./index";

const KEYS = "GET /api/v1/keys";
const MADE = "2026-01-01T00:00:00Z";
const OWN = { id: "key-test", name: "mine", role: "admin", created_at: MADE };
const OTHER = {
  id: "key-2",
  name: "reports",
  role: "viewer",
  created_at: MADE,
  expires_at: "2026-01-02T00:00:00Z",
};
const TOKEN = { id: "key-3", name: "rack 7", role: "node", created_at: MADE };
const ALL_KEYS = { items: [OWN, OTHER, TOKEN] };

const CLUSTER = {
  id: "cluster-1",
  project_id: "default",
  name: "us-east",
  description: "Nodes in the east",
  configuration: {},
  status: "active",
  created_at: MADE,
  updated_at: MADE,
  nodes: 4,
  online: 3,
};

const access = { path: "/settings?tab=access" };
const clusters = { path: "/settings?tab=clusters" };
const table = (name: string) => within(screen.getByRole("table", { name }));

describe("keys", () => {
  test("stand apart from join tokens; one's own cannot be deleted", async () => {
    fakeApi({ [KEYS]: ALL_KEYS });
    show(<Component />, access);
    expect(await screen.findByText("reports")).toBeInTheDocument();
    const keys = table("API keys");
    expect(keys.getByText("yours").closest("tr")).toHaveTextContent("mine");
    expect(keys.getByText("expired")).toBeInTheDocument();
    expect(keys.queryByText("rack 7")).toBeNull();
    expect(table("Join tokens").getByText("rack 7")).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Delete mine" })).toBeNull();
  });

  test("are deleted after a question", async () => {
    const asked = fakeApi({ [KEYS]: ALL_KEYS, "DELETE /api/v1/keys/key-2": undefined });
    show(<Component />, access);
    await userEvent.click(await screen.findByRole("button", { name: "Delete reports" }));
    const question = within(await screen.findByRole("dialog"));
    expect(question.getByText("Delete the key “reports”?")).toBeInTheDocument();
    expect(asked.some(({ method }) => method === "DELETE")).toBe(false);
    await userEvent.click(question.getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("“reports” is deleted.")).toBeInTheDocument();
  });

  test("show their secret once, and go only when it is stored", async () => {
    const asked = fakeApi({
      [KEYS]: ALL_KEYS,
      "POST /api/v1/keys": { ...OTHER, name: "nightly", key: "cm_secret" },
    });
    show(<Component />, access);
    await userEvent.click(await screen.findByRole("button", { name: "New API key" }));
    await userEvent.type(await screen.findByLabelText(/^Name/), " nightly ");
    await userEvent.click(screen.getByRole("button", { name: "Make it" }));
    expect(await screen.findByLabelText("Secret of nightly")).toHaveTextContent("cm_secret");
    expect(screen.getByText(/shown this once only/)).toBeInTheDocument();
    const body = asked.find(({ method }) => method === "POST")?.body;
    expect(body).toEqual({ name: "nightly", role: "viewer", expires_at: null });
    await userEvent.keyboard("{Escape}");
    expect(screen.getByText("cm_secret")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "I have stored it" }));
    await waitFor(() => expect(screen.queryByText("cm_secret")).toBeNull());
  });

  test("that let nodes join come with the command", async () => {
    const asked = fakeApi({ [KEYS]: ALL_KEYS, "POST /api/v1/keys": { ...TOKEN, key: "cm_join" } });
    show(<Component />, access);
    await userEvent.click(await screen.findByRole("button", { name: "New join token" }));
    await userEvent.click(await screen.findByRole("button", { name: "Make it" }));
    expect(await screen.findByText("Give a name.")).toBeInTheDocument();
    await userEvent.type(screen.getByLabelText(/^Name/), "rack 7");
    await userEvent.click(screen.getByRole("button", { name: "Make it" }));
    const command = await screen.findByLabelText("Command that starts a node");
    expect(command).toHaveTextContent(/--mode worker --master-url http\S+ --join-token cm_join$/);
    expect(asked.find(({ method }) => method === "POST")?.body).toMatchObject({ role: "node" });
  });

  test.each(["viewer", "operator"] as const)("are not for the eyes of a %s", (role) => {
    const asked = fakeApi({});
    show(<Component />, { ...access, role });
    expect(screen.getByText(/by administrators only/)).toHaveTextContent(role);
    expect(screen.queryByRole("button", { name: "New API key" })).toBeNull();
    expect(asked).toEqual([]);
  });
});

describe("the end of a key", () => {
  const now = Date.parse("2026-01-01T12:00:00Z");

  test("comes after so many days, with a day, or never", () => {
    expect(expiryOf("never", "", now)).toBeNull();
    expect(expiryOf("7", "", now)).toBe("2026-01-08T12:00:00.000Z");
    expect(expiryOf("date", "2026-02-03", now)).toBe(new Date(2026, 1, 3, 23, 59, 59).toISOString());
  });

  test("is a day to come", () => {
    expect(["2026-02-03", "2025-12-30", ""].map((day) => isDayToCome(day, now))).toEqual([
      true,
      false,
      false,
    ]);
    expect(isOver("2026-01-01T11:59:59Z", now)).toBe(true);
    expect(isOver("2026-01-01T12:00:01Z", now)).toBe(false);
  });
});

describe("clusters", () => {
  const LIST = { "GET /api/v1/clusters": { items: [CLUSTER] } };

  test("are changed where they are", async () => {
    const asked = fakeApi({ ...LIST, "PATCH /api/v1/clusters/cluster-1": { ...CLUSTER, name: "east" } });
    show(<Component />, clusters);
    expect(await screen.findByText("3 of 4")).toBeInTheDocument();
    await userEvent.click(screen.getByRole("button", { name: "Edit us-east" }));
    const name = await screen.findByLabelText(/^Name/);
    await userEvent.clear(name);
    await userEvent.type(name, "east");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText("The cluster east is saved.")).toBeInTheDocument();
    const told = { name: "east", description: "Nodes in the east", status: "active" };
    expect(asked.find(({ method }) => method === "PATCH")?.body).toEqual(told);
  });

  test("say at the field why a new one cannot be", async () => {
    fakeApi({
      ...LIST,
      "POST /api/v1/clusters": () => refusal(409, "There is a cluster us-east already.", "name"),
    });
    show(<Component />, clusters);
    await userEvent.click(await screen.findByRole("button", { name: "New cluster" }));
    const name = await screen.findByLabelText(/^Name/);
    await userEvent.type(name, "us-east");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(name).toHaveAccessibleDescription(/already/));
  });

  test("with nodes stay, and the API says why", async () => {
    fakeApi({
      ...LIST,
      "DELETE /api/v1/clusters/cluster-1": () => refusal(409, "It has 4 nodes."),
    });
    show(<Component />, clusters);
    await userEvent.click(await screen.findByRole("button", { name: "Delete us-east" }));
    await userEvent.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("It has 4 nodes.")).toBeInTheDocument();
  });

  test("are only looked at by an operator", async () => {
    fakeApi(LIST);
    show(<Component />, { ...clusters, role: "operator" });
    expect(await screen.findByText("us-east")).toBeInTheDocument();
    expect(screen.getByText("Clusters are made and changed by administrators only.")).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: /New|Edit|Delete/ })).toBeNull();
  });
});

test("who one is, until when, and what answers", async () => {
  fakeApi({ "GET /health": { status: "ok", version: "9.8.7", leader: true, crawl_store: "connected" } });
  show(<Component />, { role: "operator" });
  const you = within(screen.getByRole("region", { name: "You" }));
  expect(you.getByText("operator")).toBeInTheDocument();
  expect(you.getByText(/2099|2098/)).toBeInTheDocument();
  expect(await screen.findByText("9.8.7")).toBeInTheDocument();
  expect(screen.getByRole("link", { name: "OpenAPI description" })).toHaveAttribute("href", "/openapi.json");
});
