import { expect, test } from "vitest";
import type { OutlineNode } from "@/api/schema";
import { specOf } from "./fields";
import {
  containerFor,
  fieldFor,
  nameFor,
  picksOf,
  plural,
  relativeSelector,
  suggestedFields,
} from "./outlineFields";
import { node, PRODUCT, PRODUCT_TITLE } from "./testing";

test("names come from what the page says itself", () => {
  expect(nameFor(PRODUCT_TITLE)).toBe("title");
  expect(nameFor(node("span.product-priceTag"))).toBe("product_price_tag");
  expect(nameFor(node("#main"))).toBe("main");
  expect(nameFor(node("div.x > a", { tag: "a" }))).toBe("link");
  expect(nameFor(node("span", { attributes: { itemprop: "datePublished" } }))).toBe("date_published");
  expect(
    nameFor(node('meta[property="og:image"]', { tag: "meta", attributes: { property: "og:image" } })),
  ).toBe("image");
});

test("plurals as the crawler makes them", () => {
  expect(["product", "category", "box", "news", "day", "商品"].map(plural)).toEqual([
    "products",
    "categories",
    "boxes",
    "news",
    "days",
    "商品",
  ]);
});

test("selectors are seen from their container", () => {
  expect(relativeSelector("body > div.p > h2", "body > div.p")).toBe("h2");
  expect(relativeSelector("h2.title", "div.product")).toBe("h2.title");
});

test("what repeats is offered as records first", () => {
  expect(picksOf(PRODUCT)[0]).toEqual({ take: "records" });
  expect(picksOf(PRODUCT_TITLE)[0]).toEqual({ take: "text" });
  const image = node("img", { attributes: { src: "/a.png", alt: "A" } });
  expect(picksOf(image)[0]).toEqual({ take: "attribute", attribute: "src" });
});

test("records come with the fields that they seem to have", () => {
  const field = fieldFor(PRODUCT, { take: "records" });
  expect(specOf([field])).toEqual({
    products: {
      selector: "div.product",
      fields: {
        title: "h2.title::text",
        price: "span.price::text",
        link: { selector: "h2.title > a::attr(href)", type: "url" },
      },
    },
  });
});

test("a record that is itself a link takes its own address", () => {
  const card = node("a.card", {
    tag: "a",
    attributes: { href: "/1" },
    children: [node("a.card > b", { text: "One" })],
  });
  expect(specOf(suggestedFields(card))).toEqual({
    b: "b::text",
    link: { selector: "::attr(href)", type: "url" },
  });
});

test("an element inside of a container goes into it", () => {
  const products = fieldFor(PRODUCT, { take: "records" });
  const body: OutlineNode = node("body", { children: [PRODUCT] });
  expect(containerFor([body, PRODUCT], [products])?.id).toBe(products.id);
  expect(containerFor([body], [products])).toBeNull();
});
