import { expect, test } from "vitest";
import { languageOf, splitSelector, withTake } from "./selectorText";

test("the ending of a selector says what it takes", () => {
  expect(splitSelector("h2.title")).toEqual({ css: "h2.title", take: "text", attribute: "" });
  expect(splitSelector("h2.title::text ")).toEqual({ css: "h2.title", take: "text", attribute: "" });
  expect(splitSelector("a.more::attr( href )")).toEqual({
    css: "a.more",
    take: "attribute",
    attribute: "href",
  });
  expect(splitSelector("div::html")).toEqual({ css: "div", take: "html", attribute: "" });
  expect(splitSelector("::attr(href)")).toEqual({ css: "", take: "attribute", attribute: "href" });
  expect(withTake("a.more", "attribute", "href")).toBe("a.more::attr(href)");
  expect(withTake("h1", "text")).toBe("h1::text");
});

test("a prefix names the language", () => {
  expect(languageOf("xpath://h2/@id")).toBe("xpath");
  expect(languageOf("re:SKU-(\\d+)")).toBe("re");
  expect(languageOf("json:items[*]")).toBe("jmespath");
  expect(languageOf("a:hover")).toBe("css");
});
