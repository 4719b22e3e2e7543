import { configure, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { PagePreview } from "@/api/schema";
import { type Asked, fakeApi, refusal } from "@/test/fakeApi";
import { show } from "@/test/show";
import { Component } from ".";
import { loadDraft } from "./draft";
import { PAGE } from "./testing";

type Body = Record<string, unknown>;

const CREATED = { id: "task-1", status: "pending", created_at: "2026-01-01T00:00:00Z", priority: 5 };

/** The API: what it was asked, and what it says. */
function serve(answers: { preview?: (body: Body) => Partial<PagePreview>; tasks?: Response } = {}) {
  const asked = fakeApi({
    "POST /api/v1/preview": ({ body }: Asked) => {
      const { url } = body as Body;
      return { ...PAGE, url, final_url: url, ...answers.preview?.(body as Body) };
    },
    "POST /api/v1/tasks": answers.tasks ?? CREATED,
  });
  return { asked, last: (path: string) => asked.filter((each) => each.path.endsWith(path)).at(-1)?.body };
}

// A large form, and machines may be busy.
vi.setConfig({ testTimeout: 60_000 });
configure({ asyncUtilTimeout: 20_000 });

const user = userEvent.setup({ delay: null });

function fill(label: string | RegExp, text: string, around: HTMLElement = document.body) {
  fireEvent.change(within(around).getByLabelText(label), { target: { value: text } });
}

async function look() {
  fill(/^Address/, "example.com");
  await user.click(button("Look at the page"));
  return screen.findByRole("tree");
}

function row(text: string): HTMLElement {
  const rows = within(screen.getByRole("tree")).getAllByText(text, { exact: true });
  return rows[0]?.closest<HTMLElement>("[role=treeitem]") as HTMLElement;
}

function button(text: string): HTMLElement {
  return screen.getByText(text).closest("button") as HTMLElement;
}

beforeEach(() => sessionStorage.clear());

test("viewers are told why there is nothing for them", () => {
  show(<Component />, { role: "viewer" });
  expect(screen.getByText(/may look, but not start crawls/)).toBeInTheDocument();
  expect(screen.queryByText("Start the crawl")).toBeNull();
});

test("picking what repeats makes records, and picking inside of it adds to them", async () => {
  const api = serve();
  show(<Component />);
  await look();
  await user.click(row("div.product"));
  await user.click(button("As list of records"));
  const products = screen.getByLabelText("Field products");
  expect(within(products).getByLabelText("Field title")).toBeInTheDocument();
  await user.click(row("span.price"));
  expect(screen.getByLabelText("Add to")).toHaveDisplayValue("products");
  await user.click(within(screen.getByLabelText("Take from this element")).getByText("HTML"));
  expect(within(products).getByLabelText("Field price_2")).toBeInTheDocument();
  await waitFor(() =>
    expect(api.last("/preview")).toMatchObject({
      url: "https://example.com",
      extraction: {
        products: {
          selector: "div.product",
          fields: {
            title: "h2.title::text",
            price: "span.price::text",
            link: { selector: "h2.title > a::attr(href)", type: "url" },
            price_2: "span.price::html",
          },
        },
      },
    }),
  );
});

test("the tree is walked by keys, and Enter takes the likeliest", async () => {
  serve();
  show(<Component />);
  await look();
  row("head").focus();
  await user.keyboard("{ArrowDown}{ArrowRight}");
  expect(row("h1")).toHaveFocus();
  await user.keyboard("{Enter}");
  expect(screen.getByLabelText("Field heading")).toBeInTheDocument();
  expect(screen.getByDisplayValue("h1::text")).toBeInTheDocument();
  await user.keyboard("{ArrowLeft}{ArrowLeft}");
  expect(row("body")).toHaveAttribute("aria-expanded", "false");
});

test("typed selectors show what they yield, and their problems at the field", async () => {
  const api = serve({
    preview: ({ extraction }) => {
      const { price } = extraction as Record<string, string>;
      if (price === "b[")
        return { data: {} as never, field_problems: { price: "price: the selector 'b[' is not closed." } };
      return price === "b" ? { data: { price: "$1" } as never } : {};
    },
  });
  show(<Component />);
  await look();
  await user.click(button("Add a field"));
  fill("Name", "price");
  const selector = screen.getByLabelText("Selector");
  fill("Selector", "b[");
  await waitFor(() => expect(selector).toHaveAccessibleDescription("the selector 'b[' is not closed."));
  expect(selector).toBeInvalid();
  fill("Selector", "b");
  await screen.findByText("$1");
  expect(selector).toBeValid();
  expect(api.last("/preview")).toMatchObject({ extraction: { price: "b" } });
});

test("what is taken is written to the end of the selector, and [] in a name asks for all", async () => {
  serve();
  show(<Component />);
  await user.click(button("Add a field"));
  fill("Name", "links[]");
  fill("Selector", "a");
  await user.selectOptions(screen.getByLabelText("Take"), "attribute");
  expect(screen.getByLabelText("Selector")).toHaveValue("a::attr(href)");
  expect(screen.getByLabelText("All matches")).toBeChecked();
  expect(screen.getByLabelText("Name")).toHaveValue("links");
  await user.selectOptions(screen.getByLabelText("Take"), "records");
  expect(screen.getByLabelText("Selector")).toHaveValue("a");
  await user.click(button("Add a field to links"));
  const inner = screen.getByLabelText("Field field without a name");
  fill("Name", "text", inner);
  fill("Selector", "b", inner);
  expect(loadDraft().values.fields[0]).toMatchObject({
    name: "links",
    fields: [{ name: "text", selector: "b" }],
  });
  await user.click(screen.getByLabelText("Remove text"));
  expect(screen.queryByLabelText("Remove text")).toBeNull();
});

test("what is wrong is said where it is, and nothing is sent", async () => {
  const api = serve();
  show(<Component />);
  await user.click(button("Start the crawl"));
  expect(screen.getByLabelText(/^Address/)).toHaveAccessibleDescription(/Give the address of a page/);
  expect(screen.getByText("1 value needs correction.")).toBeInTheDocument();
  expect(api.asked).toEqual([]);
});

test("a refusal of the API unfolds the part of the form that it is about", async () => {
  serve({ tasks: refusal(422, "parameters.include: has '('.", "parameters.include") });
  show(<Component />);
  fill(/^Address/, "example.com");
  await user.click(button("Start the crawl"));
  const include = await screen.findByLabelText("Only addresses that match");
  expect(include).toHaveAccessibleDescription(/parameters.include: has '\('./);
});

test("the task that is sent is what the commands show", async () => {
  const api = serve();
  show(<Component />);
  fill(/^Address/, "example.com");
  fill("Depth", "2");
  expect(screen.getByLabelText("Command line")).toHaveTextContent("https://example.com \\ --depth 2");
  await user.click(button("Start the crawl"));
  await screen.findByText("The crawl was started: task-1");
  expect(api.last("/tasks")).toEqual({
    task_type: "web_crawl",
    parameters: { url: "https://example.com", depth: 2 },
  });
});

test("JSON follows the form, says where it is broken, and comes back into the form", async () => {
  serve();
  show(<Component />);
  fill(/^Address/, "example.com");
  await user.click(screen.getByRole("tab", { name: "JSON" }));
  const text = screen.getByLabelText("Task as JSON");
  await waitFor(() => expect(text).toHaveTextContent('"url": "https://example.com"'));
  await user.clear(text);
  await user.click(text);
  await user.paste('{\n  "parameters": {"url": "https://a.example" "depth": 1}\n}');
  expect(text).toHaveAccessibleDescription(/Line 2, column 45: a comma/);
  expect(button("Start the crawl")).toBeDisabled();
  await user.clear(text);
  await user.paste('{"parameters": {"url": "https://a.example", "depth": 1}}');
  await user.click(button("Take over into the form"));
  expect(screen.getByLabelText(/^Address/)).toHaveValue("https://a.example");
  expect(screen.getByLabelText("Depth")).toHaveValue("1");
});

test("what was filled in is there after a reload", async () => {
  serve();
  const { unmount } = show(<Component />);
  fill(/^Address/, "example.com");
  fill("Priority", "7");
  unmount();
  show(<Component />);
  expect(screen.getByLabelText(/^Address/)).toHaveValue("example.com");
  expect(screen.getByLabelText("Priority")).toHaveValue("7");
});
