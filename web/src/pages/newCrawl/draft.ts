/** What was filled in survives a reload of the page, in this tab only. */
import { type FormValues, NOTHING } from "./formValues";

const STORED_AS = "crawlmesh-new-crawl";

export interface Draft {
  values: FormValues;
  looked: string | null; // the page that was looked at
  json: string; // what the JSON tab holds
  carried: string; // what it was given from the form
}

export const NO_DRAFT: Draft = { values: NOTHING, looked: null, json: "", carried: "" };

export function loadDraft(): Draft {
  try {
    const stored = JSON.parse(sessionStorage.getItem(STORED_AS) ?? "{}") as Partial<Draft>;
    return { ...NO_DRAFT, ...stored, values: { ...NOTHING, ...stored.values } };
  } catch {
    return NO_DRAFT;
  }
}

/** A browser that keeps nothing is no reason to fail. */
export function saveDraft(draft: Draft): void {
  try {
    sessionStorage.setItem(STORED_AS, JSON.stringify(draft));
  } catch {
    return;
  }
}
