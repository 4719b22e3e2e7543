import { expect, test } from "vitest";
import {
  addField,
  asRecords,
  draftsOf,
  fieldOfProblem,
  mapField,
  newField,
  problemsByField,
  specOf,
} from "./fields";

const shop = () => [
  newField({ id: "h", name: "heading", selector: "h1" }),
  newField({
    id: "p",
    name: "products",
    selector: "div.product",
    list: true,
    fields: [
      newField({ id: "t", name: "title", selector: "h2.title::text" }),
      newField({ id: "c", name: "price", selector: "span.price", type: "number" }),
    ],
  }),
];

test("fields become the specification that the docs describe", () => {
  expect(specOf(shop())).toEqual({
    heading: "h1",
    products: {
      selector: "div.product",
      fields: { title: "h2.title::text", price: { selector: "span.price", type: "number" } },
    },
  });
});

test("lists are said by [] or by all, a single record by all: false", () => {
  const fields = [
    newField({ name: "tags", selector: "a.tag", list: true }),
    newField({ name: "years", selector: "time", list: true, type: "integer" }),
    newField({ name: "seller", selector: "div.seller", fields: [newField({ name: "name", selector: "b" })] }),
  ];
  expect(specOf(fields)).toEqual({
    "tags[]": "a.tag",
    years: { selector: "time", all: true, type: "integer" },
    seller: { selector: "div.seller", all: false, fields: { name: "b" } },
  });
});

test("what is not finished is left out", () => {
  const fields = [
    newField({ name: "", selector: "h1" }),
    newField({ name: "price", selector: " " }),
    newField({ name: "products", selector: "div", list: true, fields: [newField()] }),
  ];
  expect(specOf(fields)).toEqual({});
});

test("a specification comes back as it was, and what has no place is named", () => {
  const spec = specOf(shop());
  expect(specOf(draftsOf(spec).fields)).toEqual(spec);
  const { fields, left } = draftsOf({ note: { selector: "p", default: "none" }, odd: 3, "tags[]": "a" });
  expect(left).toEqual(["selectors.note.default", "selectors.odd"]);
  expect(fields.map(({ name, list }) => [name, list])).toEqual([
    ["note", false],
    ["tags", true],
  ]);
});

test("fields are added where they belong, under names of their own", () => {
  const more = addField(shop(), newField({ name: "title", selector: "h3" }), "p");
  expect(more[1]?.fields?.map((field) => field.name)).toEqual(["title", "price", "title_2"]);
  expect(addField(shop(), newField({ name: "heading" }), null).at(-1)?.name).toBe("heading_2");
});

test("inner fields can be changed and removed", () => {
  const changed = mapField(shop(), "c", (field) => ({ ...field, name: "cost" }));
  expect(changed[1]?.fields?.[1]?.name).toBe("cost");
  expect(mapField(shop(), "t", () => null)[1]?.fields).toHaveLength(1);
});

test("a field that becomes records finds elements", () => {
  const field = asRecords(newField({ name: "products", selector: "div.product::text", type: "number" }));
  expect(field).toMatchObject({ selector: "div.product", list: true, type: "", fields: [] });
});

test("a problem goes to the field that its sentence names", () => {
  expect(fieldOfProblem(shop(), "products.fields.price.type: 'float' is unknown")?.id).toBe("c");
  expect(fieldOfProblem(shop(), "products.fields: must be a mapping")?.id).toBe("p");
  expect(fieldOfProblem(shop(), "heading: the selector 'h1[' …")?.id).toBe("h");
  expect(fieldOfProblem(shop(), "head: the selector")).toBeNull();
  expect(problemsByField(shop(), ["heading: is bad.", "nobody: knows."])).toEqual({
    h: "is bad.",
    "": "nobody: knows.",
  });
});
