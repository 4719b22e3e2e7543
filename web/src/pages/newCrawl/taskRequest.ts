/** The form's values as the task that the API takes, and back. */
import type { CrawlParameters, TaskRequest } from "@/api/schema";
import { draftsOf, type Spec, specOf } from "./fields";
import { type Amount, type FormValues, linesOf, NOTHING, type Pair, RANGES } from "./formValues";

type CrawlTask = Extract<TaskRequest, { task_type: "web_crawl" }>;
type Parameters = Partial<Omit<CrawlParameters, "url" | "urls">> & { url?: string; urls?: string[] };

/** A task with nothing in it that says what is said anyway. */
export interface TaskOrder extends Partial<Omit<CrawlTask, "parameters">> {
  parameters: Parameters;
}

const AMOUNTS_OF_CRAWL = [
  "depth",
  "max_pages",
  "delay",
  "per_host",
  "dedup_capacity",
  "dedup_error_rate",
] as const;
const AMOUNTS_OF_TASK = ["priority", "max_retries", "max_nodes", "timeout"] as const;
const LISTS_OF_CRAWL = ["allow_hosts", "include", "exclude"] as const;
const SWITCHES_OF_CRAWL = ["ignore_robots", "sitemaps", "metadata"] as const;
const TEXTS_OF_TASK = ["project_id", "target_region", "node_type"] as const;

export function requestOf(values: FormValues): TaskOrder {
  const order: TaskOrder = { task_type: "web_crawl", parameters: parametersOf(values) };
  for (const name of TEXTS_OF_TASK) {
    if (values[name].trim() !== "") order[name] = values[name].trim();
  }
  for (const name of AMOUNTS_OF_TASK) {
    if (values[name] !== "") order[name] = numberOf(values[name]);
  }
  const categories = linesOf(values.categories);
  if (categories.length > 0) order.categories = categories;
  if (values.schedule_strategy !== "")
    order.schedule_strategy = values.schedule_strategy as CrawlTask["schedule_strategy"];
  const capabilities = objectOf(values.capabilities);
  if (capabilities !== null) order.capabilities = capabilities;
  const resources = objectOf(values.min_resources) as Record<string, number> | null;
  if (resources !== null) order.min_resources = resources;
  const features = objectOf(values.content_features);
  if (features !== null) order.content_features = features;
  if (values.deduplicate) order.deduplicate = true;
  return order;
}

function parametersOf(values: FormValues): Parameters {
  const urls = [values.url, ...linesOf(values.more_urls)].map(withScheme).filter((url) => url !== "");
  const parameters: Parameters = urls.length > 1 ? { urls } : { url: urls[0] ?? "" };
  const spec = specOf(values.fields);
  if (Object.keys(spec).length > 0) parameters.selectors = selectorsOf(spec);
  if (values.scope !== "host") parameters.scope = values.scope;
  for (const name of LISTS_OF_CRAWL) {
    const lines = linesOf(values[name]);
    if (lines.length > 0) parameters[name] = lines;
  }
  for (const name of AMOUNTS_OF_CRAWL) {
    if (values[name] !== "") parameters[name] = numberOf(values[name]);
  }
  for (const name of SWITCHES_OF_CRAWL) {
    if (values[name]) parameters[name] = true;
  }
  if (values.dedup !== "") parameters.dedup = values.dedup;
  if (values.user_agent.trim() !== "") parameters.user_agent = values.user_agent.trim();
  const headers = values.headers.filter(({ name }) => name.trim() !== "");
  if (headers.length > 0) {
    parameters.headers = Object.fromEntries(headers.map(({ name, value }) => [name.trim(), value.trim()]));
  }
  return parameters;
}

/** A field of that name would be taken for the whole. */
function selectorsOf(spec: Spec): NonNullable<Parameters["selectors"]> {
  return typeof spec.selectors === "object" ? { selectors: spec } : spec;
}

/** People type example.com. */
export function withScheme(url: string): string {
  const typed = url.trim();
  return typed === "" || /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(typed) ? typed : `https://${typed}`;
}

function numberOf(amount: Amount): number {
  return typeof amount === "number" ? amount : Number(amount);
}

export type PairValue = number | boolean | string | string[];

/** `4096`, `true`, `proxy`, or `react, vue` for a list. */
export function pairValue(text: string): PairValue {
  const typed = text.trim();
  if (typed === "true" || typed === "false") return typed === "true";
  if (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(typed)) return Number(typed);
  if (!typed.includes(",")) return typed;
  return typed
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

export function pairText(value: unknown): string {
  if (!Array.isArray(value)) return String(value);
  return value.length === 1 ? `${value[0]},` : value.join(", ");
}

function objectOf(pairs: Pair[]): Record<string, PairValue> | null {
  const named = pairs.filter(({ name }) => name.trim() !== "");
  if (named.length === 0) return null;
  return Object.fromEntries(named.map(({ name, value }) => [name.trim(), pairValue(value)]));
}

/** A task in the form, and the names of what the form has no place for. */
export function valuesOf(task: Record<string, unknown>): { values: FormValues; left: string[] } {
  const values: FormValues = { ...NOTHING };
  const left: string[] = [];
  for (const [name, value] of Object.entries(task)) {
    if (name === "task_type" && value === "web_crawl") continue;
    if (name === "parameters" && isObject(value)) left.push(...takeParameters(values, value));
    else if (name === "parameters" || !takeOne(values, name, value)) left.push(name);
  }
  return { values, left };
}

function takeParameters(values: FormValues, parameters: Record<string, unknown>): string[] {
  const left: string[] = [];
  for (const [name, value] of Object.entries(parameters)) {
    if (name === "url" && typeof value === "string") values.url = value;
    else if (name === "urls" && isTexts(value)) {
      values.url = value[0] ?? "";
      values.more_urls = value.slice(1).join("\n");
    } else if (name === "selectors") {
      const { fields, left: missed } = takeSelectors(values, value);
      values.fields = fields;
      left.push(...missed.map((path) => `parameters.${path}`));
    } else if (!takeOne(values, name, value)) left.push(`parameters.${name}`);
  }
  return left;
}

function takeSelectors(values: FormValues, value: unknown) {
  if (!isObject(value) || !isObject(value.selectors)) return draftsOf(value);
  if (value.metadata === true) values.metadata = true;
  return draftsOf(value.selectors);
}

/** Whether the form has a place for the value. */
function takeOne(values: FormValues, name: string, value: unknown): boolean {
  if (value === null || value === undefined) return name in NOTHING;
  const target = values as unknown as Record<string, unknown>;
  const usual = (NOTHING as unknown as Record<string, unknown>)[name];
  if (usual === undefined || name === "fields" || name === "more_urls") return false;
  if (Array.isArray(usual)) {
    if (!isObject(value) || !Object.values(value).every((one) => isPairValue(name, one))) return false;
    target[name] = Object.entries(value).map(([key, one]) => ({ name: key, value: pairText(one) }));
  } else if (typeof usual === "boolean") {
    if (typeof value !== "boolean") return false;
    target[name] = value;
  } else if (name in RANGES) {
    if (typeof value !== "number") return false;
    target[name] = value;
  } else if (isTexts(value) && [...LISTS_OF_CRAWL, "categories"].includes(name)) {
    target[name] = value.join("\n");
  } else if (typeof value === "string") {
    target[name] = value;
  } else return false;
  return true;
}

function isPairValue(name: string, value: unknown): boolean {
  if (name === "headers") return typeof value === "string";
  return JSON.stringify(pairValue(pairText(value))) === JSON.stringify(value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
