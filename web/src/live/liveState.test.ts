import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LiveConnection } from "@/live/liveState";
import { FakeEventSource } from "@/test/fakeEventSource";

const BATCH = { items: [], skipped: 0, last_id: 41 };

function listen() {
  FakeEventSource.install();
  const heard = { onSnapshot: vi.fn(), onEvents: vi.fn(), onConnection: vi.fn() };
  const connection = new LiveConnection("/live", heard);
  const states = () => heard.onConnection.mock.calls.map(([state]) => state as string);
  return { connection, heard, states };
}

const attempts = () => FakeEventSource.all.length;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a live connection", () => {
  test("tells what comes", () => {
    const { heard, states } = listen();
    FakeEventSource.newest.open();
    FakeEventSource.newest.tell("snapshot", { overview: { running: 3 }, point: null });
    FakeEventSource.newest.tell("events", BATCH, "41");
    expect(states()).toEqual(["connecting", "live"]);
    expect(heard.onSnapshot).toHaveBeenCalledWith({ overview: { running: 3 }, point: null });
    expect(heard.onEvents).toHaveBeenCalledWith(BATCH);
  });

  test("tries again, each time after a longer pause, which has an end", () => {
    const { states } = listen();
    for (const pause of [1_000, 2_000, 4_000, 8_000, 15_000, 15_000]) {
      const before = attempts();
      FakeEventSource.newest.fail();
      expect(FakeEventSource.newest.readyState).toBe(FakeEventSource.CLOSED);
      vi.advanceTimersByTime(pause - 1);
      expect(attempts()).toBe(before);
      vi.advanceTimersByTime(1);
      expect(attempts()).toBe(before + 1);
    }
    expect(states().slice(0, 3)).toEqual(["connecting", "broken", "connecting"]);
  });

  test("begins with the short pause again once it was open", () => {
    listen();
    FakeEventSource.newest.fail();
    vi.advanceTimersByTime(1_000);
    FakeEventSource.newest.open();
    FakeEventSource.newest.fail();
    vi.advanceTimersByTime(1_000);
    expect(attempts()).toBe(3);
  });

  test("goes on after the last id that it heard", () => {
    listen();
    expect(FakeEventSource.newest.url).toBe("/live");
    FakeEventSource.newest.open();
    FakeEventSource.newest.tell("events", BATCH, "41");
    FakeEventSource.newest.tell("snapshot", { overview: {}, point: null });
    FakeEventSource.newest.fail();
    vi.advanceTimersByTime(1_000);
    expect(FakeEventSource.newest.url).toBe("/live?after=41");
  });

  test("takes silence for a break", () => {
    const { states } = listen();
    FakeEventSource.newest.open();
    vi.advanceTimersByTime(15_000);
    FakeEventSource.newest.tell("snapshot", { overview: {}, point: null });
    vi.advanceTimersByTime(19_999);
    expect(states()).toEqual(["connecting", "live"]);
    vi.advanceTimersByTime(1);
    expect(states()).toEqual(["connecting", "live", "broken"]);
    vi.advanceTimersByTime(1_000);
    expect(attempts()).toBe(2);
  });

  test("tries at once where somebody asks for it, but leaves an open one alone", () => {
    const { connection } = listen();
    FakeEventSource.newest.fail();
    connection.again();
    expect(attempts()).toBe(2);
    FakeEventSource.newest.open();
    connection.again();
    vi.advanceTimersByTime(10_000);
    expect(attempts()).toBe(2);
  });

  test("is over when it is closed", () => {
    const { connection, states } = listen();
    FakeEventSource.newest.open();
    connection.close();
    FakeEventSource.newest.fail();
    connection.again();
    vi.advanceTimersByTime(120_000);
    expect(attempts()).toBe(1);
    expect(states()).toEqual(["connecting", "live"]);
  });
});
