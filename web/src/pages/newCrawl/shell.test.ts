import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { commandLine, curlCall, quoted } from "./shell";

const ORIGIN = "http://127.0.0.1:8000";
const NASTY = `it's "quoted" $HOME \`id\` !! \\ ; & | * ? [x] {a,b} ~ # 商品\nnext`;

/** What a program gets from a shell: its arguments, then its input. */
function heard(command: string): string[] {
  const script = `crawlmesh() { printf '%s\\0' "$@"; }\ncurl() { printf '%s\\0' "$@"; }\n`;
  const env = { ...process.env, CRAWLMESH_API_KEY: "cm_secret" };
  return execFileSync("sh", ["-c", script + command], { encoding: "utf8", env })
    .split("\0")
    .slice(0, -1);
}

/** What it reads where the task is its input. */
function read(command: string): unknown {
  return JSON.parse(execFileSync("sh", ["-c", `crawlmesh() { cat; }\n${command}`], { encoding: "utf8" }));
}

test("words reach the program as they are", () => {
  expect(heard(`crawlmesh ${[NASTY, "", "=a", "-x", "a=b", "'"].map(quoted).join(" ")}`)).toEqual([
    NASTY,
    "",
    "=a",
    "-x",
    "a=b",
    "'",
  ]);
  expect(quoted("title=h1")).toBe("title=h1");
});

test("a crawl as options", () => {
  const task = {
    task_type: "web_crawl",
    parameters: {
      url: "https://example.com/?a=1&b=2",
      selectors: { "tags[]": "a[rel='tag']::attr(href)", title: "h1" },
      scope: "domain",
      include: ["/it's/", "-x"],
      depth: 2,
      delay: 0.5,
      ignore_robots: true,
      dedup: "bloom",
    },
    priority: 7,
    categories: ["a b"],
    capabilities: { js: 1 },
    deduplicate: true,
  };
  expect(heard(commandLine(task, ORIGIN))).toEqual([
    ...["task", "submit", "--url", ORIGIN, "https://example.com/?a=1&b=2"],
    ...["--select", "tags[]=a[rel='tag']::attr(href)", "--select", "title=h1"],
    ...["--scope", "domain", "--include", "/it's/", "--include", "-x", "--depth", "2", "--delay", "0.5"],
    ...["--ignore-robots", "--params", '{"dedup":"bloom"}', "--priority", "7", "--category", "a b"],
    ...["--capabilities", '{"js":1}', "--deduplicate"],
  ]);
});

test("records go with --params, several addresses one after the other", () => {
  const selectors = { products: { selector: "div.product", fields: { title: "h2" } } };
  const urls = ["https://a.example/", "https://b.example/"];
  expect(heard(commandLine({ parameters: { urls, selectors } }, ORIGIN)).slice(4)).toEqual([
    ...urls,
    "--params",
    JSON.stringify({ selectors }),
  ]);
});

test("what has no option goes as a file", () => {
  const task = { parameters: { url: NASTY }, min_resources: { memory_mb: 4096 } };
  const command = commandLine(task, ORIGIN);
  expect(heard(command)).toEqual(["task", "submit", "--url", ORIGIN, "--file", "/dev/stdin"]);
  expect(read(command)).toEqual(task);
});

test("a task of another type", () => {
  expect(heard(commandLine({ task_type: "echo", parameters: {} }, ORIGIN)).slice(4)).toEqual([
    "--params",
    "{}",
    "--type",
    "echo",
  ]);
});

test("curl sends the task, with the key of the environment", () => {
  const task = { parameters: { url: "https://example.com/", selectors: { a: NASTY } } };
  const command = curlCall(task, ORIGIN);
  const words = heard(command);
  expect(words.slice(0, 5)).toEqual([
    "-X",
    "POST",
    `${ORIGIN}/api/v1/tasks`,
    "-H",
    "Authorization: Bearer cm_secret",
  ]);
  expect(words[6]).toBe("Content-Type: application/json");
  expect(words[7]).toBe("-d");
  expect(JSON.parse(words[8] ?? "")).toEqual(task);
  expect(command).not.toContain("cm_");
});
