/** A task as somebody pasted it: where it stops being JSON, whatever the browser says. */

export type JsonFault =
  | "value"
  | "name"
  | "colon"
  | "comma"
  | "string"
  | "escape"
  | "number"
  | "end"
  | "empty";

export interface JsonPlace {
  fault: JsonFault;
  line: number;
  column: number;
}

export type JsonReading =
  | { task: Record<string, unknown>; place?: undefined; isOther?: undefined }
  | { task?: undefined; place: JsonPlace; isOther?: undefined }
  | { task?: undefined; place?: undefined; isOther: true }; // JSON, but no object

export function readTask(text: string): JsonReading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { place: placeOf(text) };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { isOther: true };
  return { task: value as Record<string, unknown> };
}

class Fault extends Error {
  readonly fault: JsonFault;
  readonly at: number;

  constructor(fault: JsonFault, at: number) {
    super(fault);
    this.fault = fault;
    this.at = at;
  }
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON does not allow them in texts
const PLAIN_TEXT = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

export function placeOf(text: string): JsonPlace {
  const fault = faultIn(text);
  const before = text.slice(0, fault.at).split("\n");
  return { fault: fault.fault, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function faultIn(text: string): Fault {
  if (text.trim() === "") return new Fault("empty", 0);
  try {
    const end = skip(SPACE, text, readValue(text, skip(SPACE, text, 0)));
    return new Fault("end", end);
  } catch (error) {
    return error instanceof Fault ? error : new Fault("value", 0);
  }
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Where the value that begins here ends. */
function readValue(text: string, at: number): number {
  const first = text[at];
  if (first === "{") return readMembers(text, at, "}", readMember);
  if (first === "[") return readMembers(text, at, "]", readValue);
  if (first === '"') return readString(text, at);
  const end = skip(first !== undefined && /[-\d]/.test(first) ? NUMBER : WORD, text, at);
  if (end === at) throw new Fault(first === "-" ? "number" : "value", at);
  if (/[\w.+-]/.test(text[end] ?? "")) throw new Fault(/[-\d]/.test(first ?? "") ? "number" : "value", at);
  return end;
}

function readMembers(
  text: string,
  start: number,
  close: string,
  read: (text: string, at: number) => number,
): number {
  let at = skip(SPACE, text, start + 1);
  if (text[at] === close) return at + 1;
  for (;;) {
    at = skip(SPACE, text, read(text, at));
    if (text[at] === close) return at + 1;
    if (text[at] !== ",") throw new Fault("comma", at);
    at = skip(SPACE, text, at + 1);
  }
}

function readMember(text: string, at: number): number {
  if (text[at] !== '"') throw new Fault("name", at);
  const colon = skip(SPACE, text, readString(text, at));
  if (text[colon] !== ":") throw new Fault("colon", colon);
  return readValue(text, skip(SPACE, text, colon + 1));
}

function readString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    at = skip(PLAIN_TEXT, text, at);
    if (text[at] === '"') return at + 1;
    if (text[at] !== "\\") throw new Fault("string", text[at] === undefined ? start : at);
    const next = skip(ESCAPE, text, at);
    if (next === at) throw new Fault("escape", at);
    at = next;
  }
}
