/** From an element of a page's outline to the fields that somebody may want of it. */
import type { OutlineNode } from "@/api/schema";
import { addField, containersOf, freeName, newField } from "./fields";
import type { FieldDraft } from "./formValues";
import { type Take, withTake } from "./selectorText";

const MOST_SUGGESTED = 12;
const ADDRESSES = new Set(["href", "src"]);
const NAMES_OF_TAGS: Record<string, string> = {
  a: "link",
  img: "image",
  h1: "heading",
  h2: "heading",
  h3: "heading",
  h4: "heading",
  p: "text",
  div: "text",
  span: "text",
  body: "text",
  li: "item",
  tr: "row",
  td: "cell",
  th: "heading",
  time: "date",
  article: "article",
};

export interface Pick {
  take: Take | "list" | "records";
  attribute?: string;
}

/** A name for what is taken from an element: what the page itself calls it, as far as that can be told. */
export function nameFor(node: OutlineNode): string {
  const said = node.attributes.itemprop ?? node.attributes.property ?? node.attributes.name;
  if (node.tag === "meta" && said !== undefined) return wordsOf(said.split(":").at(-1) ?? said);
  if (node.attributes.itemprop !== undefined) return wordsOf(node.attributes.itemprop);
  const last = node.selector.split(/\s*[>\s]\s*/).at(-1) ?? "";
  const mark = /[#.]([A-Za-z_][\w-]*)/.exec(last)?.[1];
  return (mark === undefined ? "" : wordsOf(mark)) || NAMES_OF_TAGS[node.tag] || wordsOf(node.tag) || "field";
}

/** productTitle, product-title and product__title become product_title. */
function wordsOf(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_+|_+$/g, "")
    .toLowerCase();
}

/** As the crawler does it: product → products, category → categories, box → boxes; names in -s stay. */
export function plural(name: string): string {
  const lowered = name.toLowerCase();
  if (lowered.endsWith("s") || !/[a-z]$/i.test(name)) return name;
  if (/[^aeiou]y$/.test(lowered)) return `${name.slice(0, -1)}ies`;
  return /(x|z|ch|sh)$/.test(lowered) ? `${name}es` : `${name}s`;
}

/** A selector as seen from a container. One that names elements around the container is good there, too. */
export function relativeSelector(selector: string, container: string | undefined): string {
  if (container === undefined) return selector;
  const start = `${container} > `;
  return selector.startsWith(start) ? selector.slice(start.length) : selector;
}

/** What can be picked of an element, the likeliest first. */
export function picksOf(node: OutlineNode): Pick[] {
  const attributes = Object.keys(node.attributes).map(
    (attribute): Pick => ({ take: "attribute", attribute }),
  );
  const first = attributes.filter(({ attribute }) => attribute === "content" || attribute === "src");
  const picks: Pick[] = [];
  if (node.count > 1 && node.children.length > 0) picks.push({ take: "records" });
  picks.push(...first);
  if (node.text !== "") picks.push({ take: "text" });
  if (node.text !== "" && node.count > 1) picks.push({ take: "list" });
  picks.push(...attributes.filter((pick) => !first.includes(pick)), { take: "html" });
  if (node.count === 1 && node.children.length > 0) picks.push({ take: "records" });
  return picks;
}

export function fieldFor(node: OutlineNode, pick: Pick, container?: string): FieldDraft {
  const css = relativeSelector(node.selector, container);
  const name = nameFor(node);
  const origin = node.selector;
  if (pick.take === "records") {
    return newField({ name: plural(name), selector: css, list: true, fields: suggestedFields(node), origin });
  }
  if (pick.take === "list")
    return newField({ name: plural(name), selector: withTake(css, "text"), list: true, origin });
  const type = pick.take === "attribute" && ADDRESSES.has(pick.attribute ?? "") ? "url" : "";
  return newField({ name, selector: withTake(css, pick.take, pick.attribute), type, origin });
}

/** The fields that a record of this element may have: texts, then links and pictures. */
export function suggestedFields(container: OutlineNode): FieldDraft[] {
  const texts: FieldDraft[] = [];
  const addresses: FieldDraft[] = [];
  collect(container, container, texts, addresses);
  let all: FieldDraft[] = [];
  for (const field of [...texts, ...addresses].slice(0, MOST_SUGGESTED)) all = addField(all, field, null);
  return all;
}

function collect(
  node: OutlineNode,
  container: OutlineNode,
  texts: FieldDraft[],
  addresses: FieldDraft[],
): void {
  for (const attribute of ["href", "src"]) {
    if (node.attributes[attribute] === undefined) continue;
    const css = node === container ? "" : relativeSelector(node.selector, container.selector);
    const name = attribute === "href" ? "link" : "image";
    addresses.push(
      newField({ name, selector: withTake(css, "attribute", attribute), type: "url", origin: node.selector }),
    );
  }
  const isOneText = node !== container && node.text !== "" && isWithin(node, node.text);
  if (isOneText && !texts.some((field) => field.origin === node.selector)) {
    const list = node.count > 1;
    const field = fieldFor(node, { take: list ? "list" : "text" }, container.selector);
    texts.push({ ...field, name: freeName(field.name, texts) });
  }
  for (const child of node.children) collect(child, container, isOneText ? [] : texts, addresses);
}

/** Whether all that an element shows is one text, however deep it lies. */
function isWithin(node: OutlineNode, text: string): boolean {
  return node.children.every((child) => (child.text === text || child.text === "") && isWithin(child, text));
}

/** The innermost container that the element with these around it (outermost first) was found to lie in. */
export function containerFor(around: OutlineNode[], fields: FieldDraft[]): FieldDraft | null {
  const containers = containersOf(fields).reverse();
  for (const node of [...around].reverse()) {
    const found = containers.find((each) => (each.origin ?? each.selector.trim()) === node.selector);
    if (found !== undefined) return found;
  }
  return null;
}

/** Every selector of the outline that a field was picked from. */
export function pickedFrom(fields: FieldDraft[]): Set<string> {
  const found = new Set<string>();
  for (const field of fields) {
    if (field.origin !== undefined) found.add(field.origin);
    for (const inner of pickedFrom(field.fields ?? [])) found.add(inner);
  }
  return found;
}
