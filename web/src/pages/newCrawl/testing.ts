/** A small page for tests: four products with titles, links and prices. */
import type { OutlineNode, PagePreview } from "@/api/schema";

export function node(selector: string, given: Partial<OutlineNode> = {}): OutlineNode {
  const tag = /^[a-z0-9]+/.exec(selector.split(" > ").at(-1) ?? "")?.[0] ?? "div";
  return { selector, tag, id: null, classes: [], text: "", attributes: {}, count: 1, children: [], ...given };
}

export const PRODUCT_TITLE = node("h2.title", {
  classes: ["title"],
  text: "Copper Kettle",
  children: [node("h2.title > a", { text: "Copper Kettle", attributes: { href: "/products/1" } })],
});

export const PRODUCT = node("div.product", {
  classes: ["product"],
  text: "Copper Kettle $636.86",
  count: 4,
  children: [PRODUCT_TITLE, node("span.price", { classes: ["price"], text: "$636.86" })],
});

export const PAGE: PagePreview = {
  url: "https://example.com/",
  final_url: "https://example.com/",
  status: 200,
  content_type: "text/html",
  kind: "html",
  bytes: 1078,
  title: "Shop 1",
  elapsed: 0.02,
  data: { title: "Shop 1" } as unknown as PagePreview["data"],
  links: 13,
  outline: [
    node("head", { text: "Shop 1", children: [node("title", { text: "Shop 1" })] }),
    node("body", {
      text: "Welcome to Shop 1 Copper Kettle $636.86",
      children: [node("h1", { text: "Welcome to Shop 1" }), PRODUCT],
    }),
  ],
  truncated: false,
  problem: null,
  field_problems: {},
};
