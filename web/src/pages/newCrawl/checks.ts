/** What is wrong with the form before anybody is asked, and where the API's complaints belong. */
import type { ApiError } from "@/api/errors";
import { problemsByField } from "./fields";
import { type AmountName, type FieldDraft, type FormValues, linesOf, type Pair, RANGES } from "./formValues";
import { languageOf, splitSelector } from "./selectorText";
import { pairValue, withScheme } from "./taskRequest";

export type ProblemKey =
  | "urlMissing"
  | "url"
  | "whole"
  | "range"
  | "host"
  | "userAgent"
  | "headerName"
  | "pairName"
  | "pairTwice"
  | "pairValue"
  | "amount"
  | "fieldName"
  | "fieldNameSigns"
  | "fieldTwice"
  | "selector"
  | "attribute"
  | "recordsEmpty"
  | "recordsText";

export type Problem =
  | { key: ProblemKey; params?: Record<string, string | number>; text?: undefined }
  | { text: string; key?: undefined }; // in the words of the API

/** By name of the value; `field:ID:name` and `field:ID:selector` for fields. */
export type Problems = Record<string, Problem>;

const LONGEST_URL = 8192;
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const USER_AGENT = /^[0-9A-Za-z][ -~]*$/;

export function problemsOf(values: FormValues): Problems {
  const found: Problems = {};
  const note = (name: string, problem: Problem | null) => {
    if (problem !== null) found[name] ??= problem;
  };
  note("url", values.url.trim() === "" ? { key: "urlMissing" } : urlProblem(values.url));
  for (const url of linesOf(values.more_urls)) note("more_urls", urlProblem(url));
  for (const name of Object.keys(RANGES) as AmountName[]) note(name, amountProblem(values, name));
  for (const host of linesOf(values.allow_hosts)) {
    if (/[\s/?#@]/.test(host)) note("allow_hosts", { key: "host", params: { host } });
  }
  const agent = values.user_agent.trim();
  if (agent !== "" && !USER_AGENT.test(agent)) note("user_agent", { key: "userAgent" });
  for (const name of ["headers", "capabilities", "min_resources", "content_features"] as const) {
    note(name, pairsProblem(name, values[name]));
  }
  return { ...found, ...fieldProblems(values.fields) };
}

export function urlProblem(typed: string): Problem | null {
  const url = withScheme(typed);
  const problem: Problem = { key: "url", params: { url: typed.trim() } };
  if (url.length > LONGEST_URL || /\s/.test(url)) return problem;
  try {
    const { protocol, hostname } = new URL(url);
    return (protocol === "http:" || protocol === "https:") && hostname !== "" ? null : problem;
  } catch {
    return problem;
  }
}

function amountProblem(values: FormValues, name: AmountName): Problem | null {
  const { least, most, whole } = RANGES[name];
  if (values[name] === "") return null;
  const amount = Number(values[name]);
  if (whole && Number.isFinite(amount) && !Number.isInteger(amount)) return { key: "whole" };
  return amount >= least && amount <= most ? null : { key: "range", params: { least, most } };
}

function pairsProblem(kind: string, pairs: Pair[]): Problem | null {
  const names = new Set<string>();
  for (const { name, value } of pairs) {
    const plain = name.trim();
    if (plain === "" && value.trim() === "") continue; // a row that nobody has filled
    if (plain === "") return { key: "pairName", params: { value } };
    if (names.has(plain)) return { key: "pairTwice", params: { name: plain } };
    names.add(plain);
    if (kind === "headers") {
      if (!HEADER_NAME.test(plain)) return { key: "headerName", params: { name: plain } };
    } else if (value.trim() === "") return { key: "pairValue", params: { name: plain } };
    else if (kind === "min_resources") {
      const amount = pairValue(value);
      if (typeof amount !== "number" || amount < 0) return { key: "amount", params: { name: plain } };
    }
  }
  return null;
}

export function fieldProblems(fields: FieldDraft[]): Problems {
  const found: Problems = {};
  const names = new Set<string>();
  for (const field of fields) {
    const name = field.name.trim();
    const [atName, atSelector] = [`field:${field.id}:name`, `field:${field.id}:selector`];
    if (name === "") found[atName] = { key: "fieldName" };
    else if (/[[\]=]/.test(name)) found[atName] = { key: "fieldNameSigns" };
    else if (names.has(name)) found[atName] = { key: "fieldTwice", params: { name } };
    names.add(name);
    const { css, take, attribute } = splitSelector(field.selector);
    const isCss = languageOf(field.selector) === "css";
    if (field.selector.trim() === "") found[atSelector] = { key: "selector" };
    else if (isCss && take === "attribute" && attribute === "") found[atSelector] = { key: "attribute" };
    else if (field.fields !== null && isCss && css !== field.selector.trim())
      found[atSelector] = { key: "recordsText" };
    else if (field.fields?.length === 0) found[atSelector] = { key: "recordsEmpty" };
    Object.assign(found, fieldProblems(field.fields ?? []));
  }
  return found;
}

/** Sentences of the API about fields, such as a preview has, as problems. */
export function toldProblems(fields: FieldDraft[], sentences: string[]): Problems {
  const found: Problems = {};
  for (const [id, text] of Object.entries(problemsByField(fields, sentences))) {
    found[id === "" ? "fields" : `field:${id}:selector`] = { text };
  }
  return found;
}

/** Where in the form a refusal belongs; nothing where the form has no such place. */
export function refusalProblems(error: ApiError, values: FormValues): Problems {
  const [first = "", second = ""] = (error.field ?? "").split(".");
  const name = first === "parameters" ? second : first;
  if (name === "selectors") {
    return toldProblems(values.fields, [error.message.replace(/^parameters\.selectors:\s*/, "")]);
  }
  if (name === "urls") return { more_urls: { text: error.message } };
  return name in values ? { [name]: { text: error.message } } : {};
}
