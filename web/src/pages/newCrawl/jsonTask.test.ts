import { expect, test } from "vitest";
import { placeOf, readTask } from "./jsonTask";

test("a task is an object", () => {
  expect(readTask('{"parameters": {"url": "https://a.example"}}')).toEqual({
    task: { parameters: { url: "https://a.example" } },
  });
  expect(readTask("[]")).toEqual({ isOther: true });
  expect(readTask("null")).toEqual({ isOther: true });
});

test.each([
  ["", "empty", 1, 1],
  ['{\n  "a": 1\n  "b": 2\n}', "comma", 3, 3],
  ['{"a" 1}', "colon", 1, 6],
  ['{"a": }', "value", 1, 7],
  ['{"a": 1,}', "name", 1, 9],
  ["{a: 1}", "name", 1, 2],
  ['{"a": "open}', "string", 1, 7],
  ['{"a": "\\d"}', "escape", 1, 8],
  ['{"a": 01}', "number", 1, 7],
  ['{"a": 1} x', "end", 1, 10],
  ['{"a": tru}', "value", 1, 7],
  ['{"a": [1, 2}', "comma", 1, 12],
  ['{"a": 1', "comma", 1, 8],
] as const)("%j: %s at %i:%i", (text, fault, line, column) => {
  expect(readTask(text).task).toBeUndefined();
  expect(placeOf(text)).toEqual({ fault, line, column });
});
