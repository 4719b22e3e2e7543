import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, test } from "vitest";
import type { HostLimitsRequest } from "@/api/schema";
import { fakeApi, refusal } from "@/test/fakeApi";
import { show } from "@/test/show";
import { Component } from "./index";
import { aHost } from "./testHosts";

const LIST = "GET /api/v1/hosts";
const ONE = "GET /api/v1/hosts/a.example";
const LIMITS = "/api/v1/hosts/a.example/limits";

const rowOf = async (host: string) => {
  const cell = await screen.findByText(host);
  return within(cell.closest("tr") as HTMLElement);
};

describe("the table of hosts", () => {
  test("says how each is treated, and a blocked one stands out", async () => {
    const { state } = aHost({});
    fakeApi({
      [LIST]: {
        items: [
          aHost({
            delay: 2.5,
            slots: 1,
            queued: 120,
            state: { ...state, failures: 3, pressure: 1.5, crawl_delay: 10, exclusive: true },
          }),
          aHost({ host: "b.example", blocked: true, limits: { delay: null, slots: null, blocked: true } }),
          aHost({ host: "c.example", ready_in: 11.2 }),
        ],
        next_cursor: null,
      },
    });
    show(<Component />);
    const first = await rowOf("a.example");
    for (const text of [
      /2.5 sec apart/,
      /1 at once/,
      "120",
      "3 in a row",
      "slowed by 1.5 sec",
      /asks for 10 sec/,
    ]) {
      expect(first.getByText(text)).toBeInTheDocument();
    }
    const blocked = await screen.findByText("blocked");
    expect(blocked.closest("tr")?.getAttribute("style")).toContain("red-light");
    expect((await rowOf("c.example")).getByText("rests 12 sec")).toBeInTheDocument();
  });

  test("goes from page to page by cursor", async () => {
    const asked = fakeApi({
      [LIST]: ({ query }: { query: URLSearchParams }) =>
        query.get("cursor") === "a.example"
          ? { items: [aHost({ host: "b.example" })], next_cursor: null }
          : { items: [aHost({})], next_cursor: "a.example" },
    });
    show(<Component />);
    await userEvent.click(await screen.findByRole("button", { name: "Next" }));
    expect(await screen.findByText("b.example")).toBeInTheDocument();
    expect(asked.at(-1)?.query.get("cursor")).toBe("a.example");
    await userEvent.click(screen.getByRole("button", { name: "Previous" }));
    expect(await screen.findByText("a.example")).toBeInTheDocument();
  });

  test("asks for what is searched for, and limits may come before a crawl", async () => {
    const asked = fakeApi({
      [LIST]: { items: [], next_cursor: null },
      "GET /api/v1/hosts/new.example": () => refusal(404, "There is no host 'new.example'."),
    });
    show(<Component />);
    await userEvent.type(screen.getByLabelText("Host name"), "New.example");
    await userEvent.click(await screen.findByRole("button", { name: "Set limits for new.example" }));
    expect(await screen.findByText(/No crawl has met this host yet/)).toBeInTheDocument();
    expect(asked.some(({ query }) => query.get("search") === "new.example")).toBe(true);
  });
});

describe("the limits of a host", () => {
  const open = { path: "/hosts?host=a.example" };

  test("are laid down together, and what is empty does not limit", async () => {
    const told: HostLimitsRequest[] = [];
    fakeApi({
      [LIST]: { items: [], next_cursor: null },
      [ONE]: aHost({}),
      [`PUT ${LIMITS}`]: ({ body }: { body: HostLimitsRequest }) => {
        told.push(body);
        return aHost({ blocked: true });
      },
    });
    show(<Component />, { ...open, role: "operator" });
    await userEvent.type(await screen.findByLabelText(/Seconds between two requests/), "2.5");
    await userEvent.click(screen.getByLabelText(/Block this host/));
    await userEvent.click(screen.getByRole("button", { name: "Save limits" }));
    expect(await screen.findByText(/The limits of a.example hold/)).toBeInTheDocument();
    expect(told).toEqual([{ delay: 2.5, slots: null, blocked: true }]);
  });

  test("that cannot be are said at the field", async () => {
    fakeApi({
      [LIST]: { items: [], next_cursor: null },
      [ONE]: aHost({}),
      [`PUT ${LIMITS}`]: () => refusal(422, "delay: the clock has no such time.", "delay"),
    });
    show(<Component />, { ...open, role: "operator" });
    const slots = await screen.findByLabelText(/Requests at once, at most/);
    await userEvent.type(slots, "20000");
    await userEvent.click(screen.getByRole("button", { name: "Save limits" }));
    expect(await screen.findByText(/whole number from 1 to 10,000/)).toBeInTheDocument();
    await userEvent.clear(slots);
    await userEvent.type(slots, "2");
    await userEvent.click(screen.getByRole("button", { name: "Save limits" }));
    await waitFor(() =>
      expect(screen.getByLabelText(/Seconds between two requests/)).toHaveAccessibleDescription(
        /the clock has no such time/,
      ),
    );
  });

  test("can be taken away", async () => {
    const asked = fakeApi({
      [LIST]: { items: [], next_cursor: null },
      [ONE]: aHost({ limits: { delay: 3, slots: null, blocked: false } }),
      [`DELETE ${LIMITS}`]: undefined,
    });
    show(<Component />, { ...open, role: "operator" });
    await userEvent.click(await screen.findByRole("button", { name: "Remove all limits" }));
    await waitFor(() => expect(asked.some(({ method }) => method === "DELETE")).toBe(true));
    await waitFor(() => expect(screen.getByLabelText(/Seconds between two requests/)).toHaveValue(""));
  });

  test("are only words for a viewer", async () => {
    fakeApi({
      [LIST]: { items: [], next_cursor: null },
      [ONE]: aHost({ limits: { delay: 3, slots: 1, blocked: false } }),
    });
    show(<Component />, { ...open, role: "viewer" });
    expect(await screen.findByText("at least 3 sec between two requests")).toBeInTheDocument();
    expect(screen.getByText("at most 1 request at once")).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Save limits" })).toBeNull();
  });
});
