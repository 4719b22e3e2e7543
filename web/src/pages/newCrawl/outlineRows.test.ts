import { expect, test } from "vitest";
import { matching, openAtFirst, rowsOf, stepFrom } from "./outlineRows";
import { node, PAGE } from "./testing";

const { outline } = PAGE;
const names = (keys: ReadonlySet<string>, shown?: ReadonlySet<string>) =>
  rowsOf(outline, keys, shown).map(({ node: { selector } }) => selector);

test("what is folded is not to be seen", () => {
  expect(names(new Set())).toEqual(["head", "body"]);
  expect(names(new Set(["1"]))).toEqual(["head", "body", "h1", "div.product"]);
});

test("at first, the body is unfolded as far as it can be looked over", () => {
  expect(names(openAtFirst(outline))).toEqual([
    "head",
    "body",
    "h1",
    "div.product",
    "h2.title",
    "h2.title > a",
    "span.price",
  ]);
  const long = [
    node("body", { children: Array.from({ length: 60 }, () => node("p", { children: [node("b")] })) }),
  ];
  expect(openAtFirst(long)).toEqual(new Set(["0"]));
});

test("looking for something shows it with all around it", () => {
  expect(names(new Set(), matching(outline, "636"))).toEqual(["body", "div.product", "span.price"]);
  expect(names(new Set(), matching(outline, "/products/1"))).toEqual([
    "body",
    "div.product",
    "h2.title",
    "h2.title > a",
  ]);
  expect(matching(outline, "nowhere").size).toBe(0);
});

test("arrow keys walk, unfold and fold", () => {
  const rows = rowsOf(outline, new Set(["1"]));
  expect(stepFrom(rows, "0", "ArrowDown")).toEqual({ to: "1" });
  expect(stepFrom(rows, "0", "ArrowUp")).toEqual({ to: "0" });
  expect(stepFrom(rows, "1", "ArrowRight")).toEqual({ to: "1.0" });
  expect(stepFrom(rows, "1.1", "ArrowRight")).toEqual({ open: "1.1" });
  expect(stepFrom(rows, "1.1", "ArrowLeft")).toEqual({ to: "1" });
  expect(stepFrom(rows, "1", "ArrowLeft")).toEqual({ close: "1" });
  expect(stepFrom(rows, "0", "End")).toEqual({ to: "1.1" });
  expect(stepFrom(rows, "1.1", "Home")).toEqual({ to: "0" });
  expect(stepFrom(rows, "0", "x")).toBeNull();
});
