/** Fields to take: their tree, and the specification that the API knows it as. */
import type { FieldDraft, ValueType } from "./formValues";
import { VALUE_TYPES } from "./formValues";
import { splitSelector } from "./selectorText";

export type FieldSpec = string | ValueSpec | RecordsSpec;
interface ValueSpec {
  selector: string;
  all?: boolean;
  type?: ValueType | null;
}
interface RecordsSpec {
  selector: string;
  all?: boolean;
  fields: Record<string, FieldSpec>;
}
export type Spec = Record<string, FieldSpec>;

let number = 0;

export function newField(given: Partial<FieldDraft> = {}): FieldDraft {
  number += 1;
  const id = `${Date.now().toString(36)}-${number}`;
  return { id, name: "", selector: "", list: false, type: "", fields: null, ...given };
}

export function mapField(
  fields: FieldDraft[],
  id: string,
  change: (field: FieldDraft) => FieldDraft | null, // null: away with it
): FieldDraft[] {
  return fields.flatMap((field) => {
    if (field.id === id) return change(field) ?? [];
    if (field.fields === null) return field;
    return { ...field, fields: mapField(field.fields, id, change) };
  });
}

/** Adds a field to a container, or to the page; a name that is taken gets a number. */
export function addField(fields: FieldDraft[], field: FieldDraft, into: string | null): FieldDraft[] {
  if (into === null) return [...fields, { ...field, name: freeName(field.name, fields) }];
  return mapField(fields, into, (container) => ({
    ...container,
    fields: addField(container.fields ?? [], field, null),
  }));
}

export function freeName(name: string, among: FieldDraft[]): string {
  const taken = new Set(among.map((field) => field.name));
  if (name === "" || !taken.has(name)) return name;
  for (let next = 2; ; next += 1) {
    if (!taken.has(`${name}_${next}`)) return `${name}_${next}`;
  }
}

/** Every container, the inner ones after those around them. */
export function containersOf(fields: FieldDraft[]): FieldDraft[] {
  return fields.flatMap((field) => (field.fields === null ? [] : [field, ...containersOf(field.fields)]));
}

/** A container finds elements: what a selector takes from them means nothing there. */
export function asRecords(field: FieldDraft): FieldDraft {
  return { ...field, selector: splitSelector(field.selector).css, type: "", list: true, fields: [] };
}

/** The specification; what is not finished yet is left out. */
export function specOf(fields: FieldDraft[]): Spec {
  const spec: Spec = {};
  for (const field of fields) {
    const name = field.name.trim();
    if (name === "" || field.selector.trim() === "") continue;
    const [key, value] = entryOf(field, name);
    if (value !== null) spec[key] = value;
  }
  return spec;
}

function entryOf(field: FieldDraft, name: string): [string, FieldSpec | null] {
  const selector = field.selector.trim();
  if (field.fields !== null) {
    const inner = specOf(field.fields);
    if (Object.keys(inner).length === 0) return [name, null];
    return [name, { selector, ...(field.list ? {} : { all: false }), fields: inner }];
  }
  if (field.type !== "") return [name, { selector, ...(field.list ? { all: true } : {}), type: field.type }];
  return [field.list ? `${name}[]` : name, selector];
}

/** The fields of a specification, and the paths of what the form has no place for. */
export function draftsOf(spec: unknown, path = "selectors"): { fields: FieldDraft[]; left: string[] } {
  if (!isObject(spec)) return { fields: [], left: spec === undefined || spec === null ? [] : [path] };
  const fields: FieldDraft[] = [];
  const left: string[] = [];
  for (const [key, value] of Object.entries(spec)) {
    const name = key.trim().replace(/\s*\[\]$/, "");
    const list = key.trim().endsWith("[]");
    if (typeof value === "string") {
      fields.push(newField({ name, selector: value, list }));
    } else if (isObject(value) && typeof value.selector === "string") {
      fields.push(
        draftOf(name, list, value as unknown as ValueSpec & Partial<RecordsSpec>, `${path}.${name}`, left),
      );
    } else {
      left.push(`${path}.${name}`);
    }
  }
  return { fields, left };
}

function draftOf(
  name: string,
  list: boolean,
  value: ValueSpec & Partial<RecordsSpec>,
  path: string,
  left: string[],
): FieldDraft {
  for (const key of Object.keys(value)) {
    if (!["selector", "all", "type", "fields"].includes(key)) left.push(`${path}.${key}`);
  }
  const isContainer = isObject(value.fields);
  const inner = isContainer ? draftsOf(value.fields, `${path}.fields`) : null;
  left.push(...(inner?.left ?? []));
  const knownType = VALUE_TYPES.find((type) => type === value.type);
  if (knownType === undefined && value.type !== undefined && value.type !== null) left.push(`${path}.type`);
  return newField({
    name,
    selector: value.selector,
    list: value.all ?? (list || isContainer),
    type: isContainer ? "" : (knownType ?? ""),
    fields: inner?.fields ?? null,
  });
}

/** The field that a sentence such as `products.fields.price: the selector …` is about. */
export function fieldOfProblem(fields: FieldDraft[], sentence: string, path = ""): FieldDraft | null {
  for (const field of fields) {
    const here = path + field.name.trim();
    const rest = sentence.startsWith(here) ? sentence.slice(here.length) : "";
    if (!/^[.:]/.test(rest)) continue;
    return fieldOfProblem(field.fields ?? [], sentence, `${here}.fields.`) ?? field;
  }
  return null;
}

/** Problems by the id of their field; those that belong to none under "". */
export function problemsByField(fields: FieldDraft[], sentences: string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const sentence of sentences) {
    const field = fieldOfProblem(fields, sentence);
    found[field?.id ?? ""] ??= field === null ? sentence : sentence.replace(/^[^:]*:\s*/, "");
  }
  return found;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
