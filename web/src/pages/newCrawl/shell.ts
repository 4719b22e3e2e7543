/** The same task for a shell. Keys come from the environment and never stand there. */

type Json = Record<string, unknown>;

const PLAIN = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$/;
const BREAK = " \\\n  ";
const END_OF_TASK = "TASK";

const CRAWL_OPTIONS: Record<string, string> = {
  depth: "--depth",
  max_pages: "--max-pages",
  scope: "--scope",
  per_host: "--per-host",
  delay: "--delay",
};
const CRAWL_LISTS: Record<string, string> = {
  allow_hosts: "--allow-host",
  include: "--include",
  exclude: "--exclude",
};
const CRAWL_SWITCHES: Record<string, string> = {
  ignore_robots: "--ignore-robots",
  sitemaps: "--sitemaps",
  metadata: "--metadata",
};
const TASK_OPTIONS: Record<string, string> = {
  task_type: "--type",
  priority: "--priority",
  schedule_strategy: "--strategy",
  target_region: "--region",
  node_type: "--node-type",
  project_id: "--project",
  max_retries: "--max-retries",
  max_nodes: "--max-nodes",
  timeout: "--timeout",
};

/** One word for a POSIX shell. */
export function quoted(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

export function curlCall(task: object, origin: string): string {
  return [
    `curl -X POST ${quoted(`${origin}/api/v1/tasks`)}`,
    '-H "Authorization: Bearer $CRAWLMESH_API_KEY"',
    "-H 'Content-Type: application/json'",
    `-d ${quoted(JSON.stringify(task, null, 2))}`,
  ].join(BREAK);
}

/** `crawlmesh task submit`, with options as far as there are some, else with the task as a file. */
export function commandLine(task: object, origin: string): string {
  const start = `crawlmesh task submit --url ${quoted(origin)}`;
  const words = taskWords(task as Json);
  if (words === null) {
    return `${start} --file /dev/stdin <<'${END_OF_TASK}'\n${JSON.stringify(task, null, 2)}\n${END_OF_TASK}`;
  }
  return [start, ...words.map((word) => word.map(quoted).join(" "))].join(BREAK);
}

/** The words of the command in groups that stay on one line; null: options cannot say it. */
function taskWords(task: Json): string[][] | null {
  const words: string[][] = [];
  for (const [name, value] of Object.entries(task)) {
    const option = TASK_OPTIONS[name];
    if (name === "parameters") {
      if (!isObject(value)) return null;
      words.unshift(...parameterWords(value));
    } else if (option !== undefined && isWord(value)) {
      if (name !== "task_type" || value !== "web_crawl") words.push([option, String(value)]);
    } else if (name === "categories" && isWords(value)) {
      words.push(...value.map((word) => ["--category", word]));
    } else if (name === "capabilities" && isObject(value)) {
      words.push(["--capabilities", JSON.stringify(value)]);
    } else if (name === "deduplicate" && value === true) words.push(["--deduplicate"]);
    else return null;
  }
  return "parameters" in task ? words : null;
}

function parameterWords(parameters: Json): string[][] {
  const urls: string[][] = [];
  const words: string[][] = [];
  const others: Json = {}; // what has no option
  for (const [name, value] of Object.entries(parameters)) {
    const [option, list, flag] = [CRAWL_OPTIONS[name], CRAWL_LISTS[name], CRAWL_SWITCHES[name]];
    if (name === "url" && isAddress(value)) urls.push([value]);
    else if (name === "urls" && Array.isArray(value) && value.length > 1 && value.every(isAddress)) {
      urls.push(...value.map((url) => [url]));
    } else if (option !== undefined && isWord(value)) words.push([option, String(value)]);
    else if (list !== undefined && isWords(value)) words.push(...value.map((word) => [list, word]));
    else if (flag !== undefined && value === true) words.push([flag]);
    else if (name === "selectors" && isFlat(value)) {
      words.push(...Object.entries(value).map(([field, selector]) => ["--select", `${field}=${selector}`]));
    } else others[name] = value;
  }
  const rest =
    Object.keys(others).length > 0 || urls.length === 0 ? [["--params", JSON.stringify(others)]] : [];
  return [...urls, ...words, ...rest];
}

/** The command adds https:// to what has no scheme; the rest it takes as it is. */
function isAddress(value: unknown): value is string {
  return typeof value === "string" && /^https?:\/\//i.test(value);
}

function isFlat(value: unknown): value is Record<string, string> {
  if (!isObject(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length > 0 &&
    entries.every(([name, one]) => typeof one === "string" && name.trim() === name && /^[^=]+$/.test(name))
  );
}

function isWord(value: unknown): value is string | number {
  return typeof value === "number" || (typeof value === "string" && value !== "");
}

function isWords(value: unknown): value is string[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string" && one !== "")
  );
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
