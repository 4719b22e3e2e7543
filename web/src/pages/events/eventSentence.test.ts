import i18next, { type TFunction } from "i18next";
import { describe, expect, test } from "vitest";
import { switchLanguage } from "@/i18n";
import { EVENT_TYPES, type EventFilter, filterIn, fits, hasText, queryOf } from "./eventFilter";
import { sentenceOf } from "./eventSentence";
import { anEvent } from "./testEvents";
import { missedIn } from "./useEventStream";

const said = (values: Parameters<typeof anEvent>[0]) => {
  const t = i18next.getFixedT(i18next.language, ["events", "common"]) as TFunction<["events", "common"]>;
  return sentenceOf(anEvent(values), t, i18next.language);
};
const ANY: EventFilter = { types: [], task: "", node: "" };

describe("an event in a sentence", () => {
  test.each([
    [
      { type: "task.status_changed", data: { status: "paused", old_status: "processing" } },
      "The task is paused; it was running.",
    ],
    [{ type: "task.failed", data: { result: { error: "No page." } } }, "The task failed: No page."],
    [{ type: "task.failed", data: {} }, "The task failed."],
    [{ type: "node.registered", data: { name: "rack 7", again: true } }, "The node rack 7 joined again."],
    [
      {
        type: "node.health_changed",
        data: { new_status: "unhealthy", old_status: "healthy", details: { reason: "High usage" } },
      },
      "The node is unhealthy; it was healthy. Reason: High usage.",
    ],
    [
      { type: "node.heartbeat", data: { heartbeat: { load: 0.42, active_tasks: 1 } } },
      "The node works: load 42%, 1 task.",
    ],
    [
      { type: "host.limits_changed", data: { host: "a.example", delay: 2.5, slots: 1, blocked: true } },
      "Limits of a.example: blocked, at least 2.5 sec between two requests, and at most 1 request at once.",
    ],
    [
      { type: "host.limits_changed", data: { host: "a.example", delay: null, slots: null, blocked: false } },
      "Limits of a.example: none any more.",
    ],
    [
      { type: "node.status_changed", data: { status: "hibernating", old_status: "online" } },
      "The node is hibernating; it was online.",
    ],
  ] as const)("%o", (values, sentence) => expect(said(values)).toBe(sentence));

  test("is there for every type, in both languages, without gaps", async () => {
    for (const language of ["zh-CN", "en"] as const) {
      await switchLanguage(language);
      for (const type of EVENT_TYPES) {
        const sentence = said({ type, data: {} });
        expect(sentence).toBeTruthy();
        expect(sentence).not.toMatch(/\{\{|sentences/);
      }
    }
  });
});

describe("a filter", () => {
  test("comes from the address; unknown types do not count", () => {
    const filter = filterIn(new URLSearchParams("types=task.failed,nonsense&task=task-1"));
    expect(filter).toEqual({ types: ["task.failed"], task: "task-1", node: "" });
    expect(queryOf(filter)).toEqual({ types: ["task.failed"], task_id: "task-1", node_id: undefined });
  });

  test("leaves heartbeats out unless they are asked for", () => {
    const beat = anEvent({ type: "node.heartbeat", node_id: "node-1" });
    expect(fits(beat, ANY)).toBe(false);
    expect(fits(beat, { ...ANY, types: ["node.heartbeat"] })).toBe(true);
    expect(fits(beat, { types: ["node.heartbeat"], task: "", node: "node-2" })).toBe(false);
  });

  test("finds texts in sentences, ids and data", () => {
    const event = anEvent({ task_id: "task-9", data: { reason: "Teapot" } });
    expect(["TEAPOT", "task-9", "is done", "  "].map((text) => hasText(event, "It is done.", text))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(hasText(event, "It is done.", "kettle")).toBe(false);
  });
});

test("heartbeats that the stream leaves out are missed by those only who want them", () => {
  const few = { items: [anEvent({})], skipped: 300, last_id: 301 };
  expect(missedIn(few, ANY)).toBe(0);
  expect(missedIn(few, { ...ANY, types: ["node.heartbeat"] })).toBe(300);
  const flood = { items: Array.from({ length: 200 }, () => anEvent({})), skipped: 300, last_id: 500 };
  expect(missedIn(flood, ANY)).toBe(300);
});
