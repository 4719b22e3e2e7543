import { expect, test } from "vitest";
import { isDeviceId, isLoopback, joinCommand } from "./joinCommand";

const BARE = { origin: "https://master:8000", token: null, deviceId: "", slots: null };

test("the command has the address of the master and a place for the token", () => {
  expect(joinCommand(BARE)).toBe(
    "crawlmesh distribute --mode worker --master-url https://master:8000 --join-token TOKEN",
  );
});

test("what was chosen is part of it", () => {
  expect(joinCommand({ ...BARE, token: "cm_1", deviceId: "worker-7", slots: 8 })).toBe(
    "crawlmesh distribute --mode worker --master-url https://master:8000 --join-token cm_1" +
      " --device-id worker-7 --concurrent-tasks 8",
  );
});

test("a name that is none is left out, so that nothing strange is pasted into a shell", () => {
  expect(isDeviceId("a; rm -rf /")).toBe(false);
  expect(joinCommand({ ...BARE, deviceId: "a; rm -rf /" })).toBe(joinCommand(BARE));
});

test("addresses of the machine itself are told apart", () => {
  expect(["localhost", "127.0.0.1", "[::1]", "master", "10.0.0.1"].map(isLoopback)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
