/** What a selector takes from an element is written at its end: `::text`, `::attr(name)` or `::html`. */

export type Take = "text" | "attribute" | "html";
export type Language = "css" | "xpath" | "re" | "jmespath";

const ENDING = /::(text|html|attr\(([^()]*)\))\s*$/;

export interface SplitSelector {
  css: string; // without the ending
  take: Take;
  attribute: string; // only for "attribute"
}

export function languageOf(selector: string): Language {
  const prefix = /^\s*(xpath|re|jmespath|json):/.exec(selector)?.[1];
  if (prefix === undefined) return "css";
  return prefix === "json" ? "jmespath" : (prefix as Language);
}

export function splitSelector(selector: string): SplitSelector {
  const found = ENDING.exec(selector);
  if (found === null) return { css: selector.trim(), take: "text", attribute: "" };
  const css = selector.slice(0, found.index).trim();
  if (found[2] !== undefined) return { css, take: "attribute", attribute: found[2].trim() };
  return { css, take: found[1] === "html" ? "html" : "text", attribute: "" };
}

export function withTake(css: string, take: Take, attribute = ""): string {
  return `${css}::${take === "attribute" ? `attr(${attribute})` : take}`;
}
