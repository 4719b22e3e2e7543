import { expect, test } from "vitest";
import { cellText, columnsOf, fieldOf, WHOLE } from "@/pages/task/recordCells";

test("columns are the names of all records of a page, in their order", () => {
  const records = [{ data: { title: "A", price: 1 } }, { data: { title: "B", stock: 3 } }, { data: null }];
  expect(columnsOf(records)).toEqual(["title", "price", "stock"]);
  expect(fieldOf({ data: { title: "A" } }, "price")).toBeUndefined();
});

test("a record that is no object has one column", () => {
  expect(columnsOf([{ data: ["a", "b"] }])).toEqual([WHOLE]);
  expect(fieldOf({ data: ["a", "b"] }, WHOLE)).toEqual(["a", "b"]);
});

test.each([
  [null, "–"],
  ["", "–"],
  ["two\n  lines", "two lines"],
  [12.5, "12.5"],
  [false, "false"],
  [["red", "blue"], "red, blue"],
  [[], "–"],
  [[{ name: "Kettle", price: "3" }, { name: "Lamp" }], "2 × (name, price)"],
  [
    { title: "A", description: null, tags: ["x"], offers: { price: 1 } },
    "title: A; tags: x; offers: (price)",
  ],
  [{}, "–"],
])("%j reads %s", (value, text) => {
  expect(cellText(value)).toBe(text);
});

test("wide values are shortened", () => {
  const text = cellText("word ".repeat(100));
  expect(text.length).toBeLessThanOrEqual(120);
  expect(text.endsWith("…")).toBe(true);
});
