import { expect, test } from "vitest";
import { newField } from "./fields";
import { type FormValues, NOTHING } from "./formValues";
import { pairText, pairValue, requestOf, valuesOf, withScheme } from "./taskRequest";

const FULL: FormValues = {
  ...NOTHING,
  url: "https://example.com/products",
  more_urls: "https://example.com/a\nhttps://example.com/b",
  fields: [newField({ name: "title", selector: "h1" })],
  metadata: true,
  scope: "domain",
  allow_hosts: "*.example.com\ncdn.example.com",
  include: "/products/",
  exclude: "\\?sort=",
  sitemaps: true,
  dedup: "bloom",
  dedup_capacity: 1000,
  dedup_error_rate: 0.01,
  depth: 0,
  max_pages: 50,
  timeout: 60,
  delay: 0.5,
  per_host: 2,
  ignore_robots: true,
  user_agent: "mybot/1.0",
  headers: [{ name: "Accept-Language", value: "de" }],
  priority: 7,
  project_id: "proj-123",
  categories: "shops",
  max_retries: 0,
  max_nodes: 3,
  deduplicate: true,
  schedule_strategy: "geo_location",
  target_region: "us",
  node_type: "standard",
  capabilities: [
    { name: "javascript_rendering", value: "1" },
    { name: "technologies", value: "react, vue" },
  ],
  min_resources: [{ name: "memory_mb", value: "4096" }],
  content_features: [{ name: "content_type", value: "html" }],
};

test("an address is enough", () => {
  expect(requestOf({ ...NOTHING, url: " example.com/products " })).toEqual({
    task_type: "web_crawl",
    parameters: { url: "https://example.com/products" },
  });
});

test("every value has its place", () => {
  expect(requestOf(FULL)).toEqual({
    task_type: "web_crawl",
    parameters: {
      urls: ["https://example.com/products", "https://example.com/a", "https://example.com/b"],
      selectors: { title: "h1" },
      scope: "domain",
      allow_hosts: ["*.example.com", "cdn.example.com"],
      include: ["/products/"],
      exclude: ["\\?sort="],
      depth: 0,
      max_pages: 50,
      delay: 0.5,
      per_host: 2,
      dedup_capacity: 1000,
      dedup_error_rate: 0.01,
      ignore_robots: true,
      sitemaps: true,
      metadata: true,
      dedup: "bloom",
      user_agent: "mybot/1.0",
      headers: { "Accept-Language": "de" },
    },
    project_id: "proj-123",
    target_region: "us",
    node_type: "standard",
    priority: 7,
    max_retries: 0,
    max_nodes: 3,
    timeout: 60,
    categories: ["shops"],
    schedule_strategy: "geo_location",
    capabilities: { javascript_rendering: 1, technologies: ["react", "vue"] },
    min_resources: { memory_mb: 4096 },
    content_features: { content_type: "html" },
    deduplicate: true,
  });
});

test("a task comes back into the form as it was", () => {
  const { values, left } = valuesOf(requestOf(FULL) as unknown as Record<string, unknown>);
  expect(left).toEqual([]);
  expect(requestOf(values)).toEqual(requestOf(FULL));
});

test("what the form has no place for is named", () => {
  const { values, left } = valuesOf({
    workflow_id: "inst-1",
    priority: 7,
    capabilities: { code: "1" },
    timeout: null,
    parameters: { url: "https://a.example", archive: false, concurrency: 3, depth: "2" },
  });
  expect(values).toMatchObject({ url: "https://a.example", priority: 7 });
  expect(left).toEqual([
    "workflow_id",
    "capabilities",
    "parameters.archive",
    "parameters.concurrency",
    "parameters.depth",
  ]);
});

test("a field called selectors is not taken for the whole", () => {
  const inner = newField({
    name: "selectors",
    selector: "div",
    list: true,
    fields: [newField({ name: "a", selector: "b" })],
  });
  const order = requestOf({ ...NOTHING, url: "a.example", fields: [inner] });
  expect(order.parameters.selectors).toEqual({
    selectors: { selectors: { selector: "div", fields: { a: "b" } } },
  });
  const { values } = valuesOf(order as unknown as Record<string, unknown>);
  expect(requestOf(values)).toEqual(order);
});

test("values of pairs", () => {
  for (const [text, value] of [
    ["1", 1],
    ["true", true],
    ["proxy", "proxy"],
    ["a, b", ["a", "b"]],
    ["a,", ["a"]],
    ["1.5", 1.5],
  ] as const) {
    expect(pairValue(text)).toEqual(value);
    expect(pairValue(pairText(value))).toEqual(value);
  }
});

test("addresses as people type them", () => {
  expect(withScheme("example.com:8080/a")).toBe("https://example.com:8080/a");
  expect(withScheme("http://a")).toBe("http://a");
  expect(withScheme(" ")).toBe("");
});
