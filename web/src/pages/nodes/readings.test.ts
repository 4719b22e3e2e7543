import { expect, test } from "vitest";
import { healthReasonOf, readingsOf, statusReasonOf } from "./readings";
import { aNode, details } from "./testNodes";

test("the readings are those of the latest heartbeat", () => {
  expect(readingsOf(aNode())).toEqual({
    cpu: 0.42,
    memory: 0.97,
    load: 0.5,
    received: 2_500_000,
    sent: 1_200,
  });
});

test.each(["offline", "unresponsive", "pending"] as const)("a node that is %s has no readings", (status) => {
  expect(readingsOf(aNode({ status })).cpu).toBeNull();
});

test("reasons of masters are known, others are kept as they are", () => {
  const unhealthy = details({ reason: "High resource usage", cpu: 0.99 });
  expect(healthReasonOf(aNode({ health: { status: "unhealthy", details: unhealthy } }))).toEqual({
    known: "highUsage",
  });
  const unreachable = details({ error: "Node is unreachable" });
  expect(healthReasonOf(aNode({ health: { status: "unreachable", details: unreachable } }))).toEqual({
    known: "unreachable",
  });
  expect(statusReasonOf(aNode({ reason: "The disk is full." }))).toEqual({ text: "The disk is full." });
  expect([statusReasonOf(aNode()), healthReasonOf(aNode())]).toEqual([null, null]);
});
