import { expect, test } from "vitest";
import { NOTHING } from "./formValues";
import { groupsWith, setIn } from "./optionGroups";

test("a group counts what somebody has set in it", () => {
  expect(setIn("links", NOTHING)).toBe(0);
  expect(setIn("links", { ...NOTHING, include: "/a/", sitemaps: true })).toBe(2);
  expect(setIn("polite", { ...NOTHING, headers: [{ name: "", value: "" }] })).toBe(0);
  expect(setIn("polite", { ...NOTHING, headers: [{ name: "Referer", value: "" }] })).toBe(1);
});

test("the groups of values that are wrong", () => {
  expect(groupsWith(["url", "delay", "timeout"])).toEqual(["polite", "task"]);
});
