/** Records as rows: which columns there are, and how a value reads in a narrow cell. */
import type { RecordShape } from "@/api/schema";

const LONGEST = 120; // characters in a cell
export const WHOLE = "\u0000whole"; // the column of records that are no objects

/** The names in the data of these records, in the order in which they first come. */
export function columnsOf(records: Pick<RecordShape, "data">[]): string[] {
  const names = new Set<string>();
  for (const { data } of records) {
    if (isObject(data)) for (const name of Object.keys(data)) names.add(name);
    else if (data !== null && data !== undefined) names.add(WHOLE);
  }
  return [...names];
}

export function fieldOf(record: Pick<RecordShape, "data">, column: string): unknown {
  if (column === WHOLE) return isObject(record.data) ? undefined : record.data;
  return isObject(record.data) ? record.data[column] : undefined;
}

/** A value in one line: lists with commas, objects as name: value, what is wide shortened. */
export function cellText(value: unknown): string {
  return shortened(lineOf(value, 0));
}

export function shortened(text: string, longest = LONGEST): string {
  return text.length > longest ? `${text.slice(0, longest - 1).trimEnd()}…` : text;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function lineOf(value: unknown, depth: number): string {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "string") return value.replace(/\s+/g, " ").trim();
  if (Array.isArray(value)) return listLine(value, depth);
  if (isObject(value)) return objectLine(value, depth);
  return String(value);
}

function listLine(list: unknown[], depth: number): string {
  if (list.length === 0) return "–";
  const [first] = list;
  if (isObject(first)) return `${list.length} × (${Object.keys(first).join(", ")})`;
  return list.map((each) => lineOf(each, depth + 1)).join(", ");
}

function objectLine(object: Record<string, unknown>, depth: number): string {
  if (depth > 0) return `(${Object.keys(object).join(", ")})`;
  const told = Object.entries(object).filter(
    ([, value]) => lineOf(value, 1) !== "–" && lineOf(value, 1) !== "()",
  );
  return told.length === 0 ? "–" : told.map(([name, value]) => `${name}: ${lineOf(value, 1)}`).join("; ");
}
