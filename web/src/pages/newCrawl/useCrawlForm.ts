/** The state of the form: its values, what is wrong with them, and since when that is said. */
import { createContext, useCallback, useContext, useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "@/api/errors";
import { type Problem, type Problems, problemsOf, refusalProblems } from "./checks";
import { type Draft, loadDraft, NO_DRAFT, saveDraft } from "./draft";
import type { FieldDraft, FormValues } from "./formValues";

export interface CrawlForm {
  draft: Draft;
  values: FormValues;
  set: <Name extends keyof FormValues>(name: Name, value: FormValues[Name]) => void;
  setFields: (change: (fields: FieldDraft[]) => FieldDraft[]) => void;
  change: (changes: Partial<Draft>) => void;
  reset: () => void;
  problemOf: (name: string) => string | undefined; // what to say at an input
  touch: (name: string) => void; // somebody was there and left
  wrong: string[]; // names of all values that need correction
  check: () => string[]; // say everything that is wrong, and what it is wrong with
  refuse: (error: unknown) => Problems; // show what the API said; where it could be shown
}

const Context = createContext<CrawlForm | null>(null);
export const CrawlFormProvider = Context.Provider;

export function useForm(): CrawlForm {
  const form = useContext(Context);
  if (form === null) throw new Error("useForm is for parts of the form");
  return form;
}

export function useCrawlForm(): CrawlForm {
  const [draft, setDraft] = useState(loadDraft);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [told, setTold] = useState<Problems>({});
  const [tried, setTried] = useState(false);
  const inWords = useProblemText();
  const { values } = draft;
  const found = useMemo(() => problemsOf(values), [values]);

  useEffect(() => saveDraft(draft), [draft]);

  const change = useCallback((changes: Partial<Draft>) => setDraft((now) => ({ ...now, ...changes })), []);
  const set = useCallback<CrawlForm["set"]>((name, value) => {
    setTold(({ [name]: _, ...others }) => others);
    setDraft((now) => ({ ...now, values: { ...now.values, [name]: value } }));
  }, []);
  const setFields = useCallback<CrawlForm["setFields"]>((changed) => {
    setTold((now) => Object.fromEntries(Object.entries(now).filter(([name]) => !name.startsWith("field"))));
    setDraft((now) => ({ ...now, values: { ...now.values, fields: changed(now.values.fields) } }));
  }, []);
  const reset = useCallback(() => {
    setDraft(NO_DRAFT);
    setTouched(new Set());
    setTold({});
    setTried(false);
  }, []);
  const touch = useCallback((name: string) => {
    setTouched((now) => (now.has(name) ? now : new Set([...now, name])));
  }, []);
  const problemOf = (name: string) => {
    const problem = told[name] ?? (tried || touched.has(name) ? found[name] : undefined);
    return problem === undefined ? undefined : inWords(problem);
  };
  const check = () => {
    setTried(true);
    return Object.keys(found);
  };
  const refuse = (error: unknown) => {
    const problems = error instanceof ApiError ? refusalProblems(error, values) : {};
    setTold(problems);
    return problems;
  };
  const wrong = [...new Set([...Object.keys(tried ? found : {}), ...Object.keys(told)])];
  return { draft, values, set, setFields, change, reset, problemOf, touch, wrong, check, refuse };
}

/** A problem as a sentence. */
export function useProblemText(): (problem: Problem) => string {
  const { t } = useTranslation("newCrawl");
  return (problem) =>
    problem.key === undefined ? problem.text : t(`problems.${problem.key}`, problem.params ?? {});
}
