import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import { SESSION_KEY } from "@/api/queryClient";
import { ConnectionBadge, ConnectionBanner } from "@/app/ConnectionState";
import { LiveProvider } from "@/live/LiveProvider";
import { fakeApi, refusal } from "@/test/fakeApi";
import { FakeEventSource } from "@/test/fakeEventSource";
import { show } from "@/test/show";

const SESSION = "GET /api/v1/session";
const state = () => screen.getByRole("status").dataset.connection;

beforeEach(() => FakeEventSource.install());

function showConnection() {
  return show(
    <LiveProvider>
      <ConnectionBadge />
      <ConnectionBanner />
    </LiveProvider>,
  );
}

test("an open stream is live", () => {
  showConnection();
  expect(state()).toBe("connecting");
  act(() => FakeEventSource.newest.open());
  expect(state()).toBe("live");
  expect(screen.getByText("Live")).toBeInTheDocument();
});

test("a broken stream with a master that answers is polling, without an alarm", async () => {
  const asked = fakeApi({ [SESSION]: {} });
  showConnection();
  act(() => FakeEventSource.newest.fail());
  await waitFor(() => expect(asked).toHaveLength(1));
  await waitFor(() => expect(state()).toBe("polling"));
  expect(screen.queryByRole("alert")).toBeNull();
});

test("without an answer the connection is lost, until the stream is back", async () => {
  fakeApi({ [SESSION]: () => refusal(502, "Bad gateway") });
  showConnection();
  act(() => FakeEventSource.newest.fail());
  expect(await screen.findByRole("alert")).toHaveTextContent("No master answers");
  expect(state()).toBe("lost");
  await userEvent.click(screen.getByRole("button", { name: "Try now" }));
  expect(FakeEventSource.all).toHaveLength(2);
  expect(state()).toBe("lost"); // trying is not having
  act(() => FakeEventSource.newest.open());
  expect(state()).toBe("live");
  expect(screen.queryByRole("alert")).toBeNull();
});

test("a stream that breaks because the session is over leads to the sign-in", async () => {
  fakeApi({ [SESSION]: () => refusal(401, "Your session has expired. Sign in again.") });
  const { client } = showConnection();
  act(() => FakeEventSource.newest.fail());
  await waitFor(() => expect(client.getQueryData(SESSION_KEY)).toBeNull());
});
