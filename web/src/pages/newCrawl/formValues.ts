/** What the form holds. Names are those of the API wherever it has one. */
import type { SelectedValue } from "@/api/schema";

export type Amount = number | string; // "" is nothing; another text is one that is being typed
export type ValueType = NonNullable<SelectedValue["type"]>;
export const VALUE_TYPES: ValueType[] = ["string", "number", "integer", "boolean", "url"];

/** A field to take. With `fields` it is a container: each match gives a record of these. */
export interface FieldDraft {
  id: string;
  name: string;
  selector: string;
  list: boolean; // all matches
  type: ValueType | "";
  fields: FieldDraft[] | null;
  origin?: string; // selector in the outline that it was picked from
}

export interface Pair {
  name: string;
  value: string;
}

export interface FormValues {
  url: string;
  more_urls: string; // one per line, as in all lists
  fields: FieldDraft[];
  metadata: boolean;
  scope: "host" | "domain" | "any";
  allow_hosts: string;
  include: string;
  exclude: string;
  sitemaps: boolean;
  dedup: "" | "exact" | "bloom";
  dedup_capacity: Amount;
  dedup_error_rate: Amount;
  depth: Amount;
  max_pages: Amount;
  timeout: Amount;
  delay: Amount;
  per_host: Amount;
  ignore_robots: boolean;
  user_agent: string;
  headers: Pair[];
  priority: Amount;
  project_id: string;
  categories: string;
  max_retries: Amount;
  max_nodes: Amount;
  deduplicate: boolean;
  schedule_strategy: string;
  target_region: string;
  node_type: string;
  capabilities: Pair[];
  min_resources: Pair[];
  content_features: Pair[];
}

export const NOTHING: FormValues = {
  url: "",
  more_urls: "",
  fields: [],
  metadata: false,
  scope: "host",
  allow_hosts: "",
  include: "",
  exclude: "",
  sitemaps: false,
  dedup: "",
  dedup_capacity: "",
  dedup_error_rate: "",
  depth: "",
  max_pages: "",
  timeout: "",
  delay: "",
  per_host: "",
  ignore_robots: false,
  user_agent: "",
  headers: [],
  priority: "",
  project_id: "",
  categories: "",
  max_retries: "",
  max_nodes: "",
  deduplicate: false,
  schedule_strategy: "",
  target_region: "",
  node_type: "",
  capabilities: [],
  min_resources: [],
  content_features: [],
};

/** Names of the values of a kind, so that an input cannot be given one of another. */
export type NamesOf<Kind> = {
  [Name in keyof FormValues]: [FormValues[Name], Kind] extends [Kind, FormValues[Name]] ? Name : never;
}[keyof FormValues];

export type AmountName = NamesOf<Amount>;

/** What the API takes: least, most, whole numbers only. */
export const RANGES: Record<AmountName, { least: number; most: number; whole: boolean }> = {
  depth: { least: 0, most: 1_000_000, whole: true },
  max_pages: { least: 1, most: 1e12, whole: true },
  timeout: { least: 0.001, most: 31_622_400, whole: false },
  delay: { least: 0, most: 3_600, whole: false },
  per_host: { least: 1, most: 1_000, whole: true },
  dedup_capacity: { least: 1, most: 1e11, whole: true },
  dedup_error_rate: { least: 1e-9, most: 0.1, whole: false },
  priority: { least: 1, most: 10, whole: true },
  max_retries: { least: 0, most: 1_000, whole: true },
  max_nodes: { least: 1, most: 10_000, whole: true },
};

export const STRATEGIES = [
  "least_loaded",
  "least_tasks",
  "round_robin",
  "weighted",
  "random",
  "geo_location",
  "content_based",
  "anti_crawling",
] as const;

export function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
