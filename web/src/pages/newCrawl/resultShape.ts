/** How a value of a record is best shown. */

export type Cell = string;

/** A list of objects is a table. */
export function isRecords(value: unknown): value is Record<string, unknown>[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => typeof one === "object" && one !== null && !Array.isArray(one))
  );
}

/** The names of all records, in the order in which they come. */
export function columnsOf(records: Record<string, unknown>[]): string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record)))];
}
