import { expect, test } from "vitest";
import { ApiError } from "@/api/errors";
import { problemsOf, refusalProblems } from "./checks";
import { newField } from "./fields";
import { type FormValues, NOTHING } from "./formValues";

const GOOD: FormValues = { ...NOTHING, url: "https://example.com/" };

function keys(given: Partial<FormValues>): Record<string, string | undefined> {
  const found = problemsOf({ ...GOOD, ...given });
  return Object.fromEntries(Object.entries(found).map(([name, problem]) => [name, problem.key]));
}

test("a form with an address is good", () => {
  expect(keys({})).toEqual({});
  expect(keys({ url: "127.0.0.1:8000/a" })).toEqual({});
});

test.each<[Partial<FormValues>, Record<string, string>]>([
  [{ url: " " }, { url: "urlMissing" }],
  [{ url: "ftp://example.com" }, { url: "url" }],
  [{ url: "https://" }, { url: "url" }],
  [{ more_urls: "https://a.example\na b" }, { more_urls: "url" }],
  [{ depth: -1 }, { depth: "range" }],
  [{ depth: 1.5 }, { depth: "whole" }],
  [{ priority: 11 }, { priority: "range" }],
  [{ delay: "-" }, { delay: "range" }],
  [{ allow_hosts: "https://a.example/" }, { allow_hosts: "host" }],
  [{ user_agent: "(x)" }, { user_agent: "userAgent" }],
  [{ headers: [{ name: "a b", value: "" }] }, { headers: "headerName" }],
  [{ min_resources: [{ name: "cpu_cores", value: "many" }] }, { min_resources: "amount" }],
  [{ capabilities: [{ name: "", value: "1" }] }, { capabilities: "pairName" }],
  [{ capabilities: [{ name: "", value: "" }] }, {}],
])("%j", (given, expected) => {
  expect(keys(given)).toEqual(expected);
});

test("fields need names of their own, selectors, and records fields", () => {
  const fields = [
    newField({ id: "1", name: "", selector: "h1" }),
    newField({ id: "2", name: "a", selector: "" }),
    newField({ id: "3", name: "a", selector: "h1::attr()" }),
    newField({ id: "4", name: "r", selector: "div", fields: [] }),
    newField({
      id: "5",
      name: "s",
      selector: "div::text",
      fields: [newField({ id: "6", name: "x=y", selector: "b" })],
    }),
  ];
  expect(keys({ fields })).toEqual({
    "field:1:name": "fieldName",
    "field:2:selector": "selector",
    "field:3:name": "fieldTwice",
    "field:3:selector": "attribute",
    "field:4:selector": "recordsEmpty",
    "field:5:selector": "recordsText",
    "field:6:name": "fieldNameSigns",
  });
});

test("a refusal of the API goes to its value", () => {
  const refused = (field: string, message: string) =>
    refusalProblems(new ApiError(message, { status: 422, code: "invalid", field }), {
      ...GOOD,
      fields: [
        newField({
          id: "p",
          name: "p",
          selector: "div",
          fields: [newField({ id: "x", name: "x", selector: "h1[" })],
        }),
      ],
    });
  expect(refused("parameters.include", "no regular expression")).toEqual({
    include: { text: "no regular expression" },
  });
  expect(refused("priority", "too high")).toEqual({ priority: { text: "too high" } });
  expect(refused("parameters.selectors", "parameters.selectors: p.fields.x: is open.")).toEqual({
    "field:x:selector": { text: "is open." },
  });
  expect(refused("workflow_id", "no")).toEqual({});
});
