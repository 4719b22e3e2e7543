import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { PagePreview } from "@/api/schema";
import { show } from "@/test/show";
import { Component } from ".";
import { loadDraft } from "./draft";
import { PAGE } from "./testing";

type Body = Record<string, unknown>;
type Answer = { status?: number; body: unknown };

/** The API: what it was asked, and what it says. */
function serve(answers: { preview?: (body: Body) => Partial<PagePreview>; tasks?: () => Answer } = {}) {
  const asked: { path: string; body: Body }[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const { pathname } = new URL(request.url);
    const body = (await request.clone().json()) as Body;
    asked.push({ path: pathname, body });
    const answer: Answer = pathname.endsWith("/preview")
      ? { body: { ...PAGE, url: body.url, final_url: body.url, ...answers.preview?.(body) } }
      : (answers.tasks?.() ?? {
          status: 201,
          body: { id: "task-1", status: "pending", created_at: "", priority: 5 },
        });
    return new Response(JSON.stringify(answer.body), { status: answer.status ?? 200 });
  });
  return {
    asked,
    last: (path: string) => asked.filter((each) => each.path.endsWith(path)).at(-1)?.body,
  };
}

const user = userEvent.setup();

async function look() {
  await user.type(screen.getByRole("textbox", { name: /Address/ }), "example.com{Enter}");
  return screen.findByRole("tree");
}

function row(text: string) {
  return screen.getByRole("treeitem", { name: new RegExp(text) });
}

beforeEach(() => sessionStorage.clear());

test("viewers are told why there is nothing for them", () => {
  show(<Component />, { role: "viewer" });
  expect(screen.getByText(/may look, but not start crawls/)).toBeInTheDocument();
  expect(screen.queryByRole("button", { name: "Start the crawl" })).toBeNull();
});

test("picking what repeats makes records, and picking inside of it adds to them", async () => {
  const api = serve();
  show(<Component />);
  await look();
  await user.click(row("div.product"));
  await user.click(screen.getByRole("button", { name: "As list of records" }));
  const products = screen.getByRole("group", { name: "Field products" });
  expect(within(products).getByRole("group", { name: "Field title" })).toBeInTheDocument();
  await user.click(row("span.price"));
  expect(screen.getByLabelText("Add to")).toHaveDisplayValue("products");
  await user.click(screen.getByRole("button", { name: "HTML" }));
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
  expect(screen.getByRole("group", { name: "Field heading" })).toBeInTheDocument();
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
  await user.click(screen.getByRole("button", { name: "Add a field" }));
  await user.type(screen.getByRole("textbox", { name: "Name" }), "price");
  const selector = screen.getByRole("textbox", { name: "Selector" });
  await user.type(selector, "b[[");
  await waitFor(() => expect(selector).toHaveAccessibleDescription("the selector 'b[' is not closed."));
  expect(selector).toBeInvalid();
  await user.type(selector, "{Backspace}");
  await screen.findByText("$1");
  expect(selector).toBeValid();
  expect(api.last("/preview")).toMatchObject({ extraction: { price: "b" } });
});

test("what is taken is written to the end of the selector, and [] in a name asks for all", async () => {
  serve();
  show(<Component />);
  await user.click(screen.getByRole("button", { name: "Add a field" }));
  await user.type(screen.getByRole("textbox", { name: "Name" }), "links[[]]");
  await user.type(screen.getByRole("textbox", { name: "Selector" }), "a");
  await user.selectOptions(screen.getByRole("combobox", { name: "Take" }), "attribute");
  expect(screen.getByRole("textbox", { name: "Selector" })).toHaveValue("a::attr(href)");
  expect(screen.getByRole("checkbox", { name: "All matches" })).toBeChecked();
  expect(screen.getByRole("textbox", { name: "Name" })).toHaveValue("links");
  await user.selectOptions(screen.getByRole("combobox", { name: "Take" }), "records");
  expect(screen.getByRole("textbox", { name: "Selector" })).toHaveValue("a");
  await user.click(screen.getByRole("button", { name: "Add a field to links" }));
  const inner = screen.getByRole("group", { name: "Field field without a name" });
  await user.type(within(inner).getByRole("textbox", { name: "Name" }), "text");
  await user.type(within(inner).getByRole("textbox", { name: "Selector" }), "b");
  expect(loadDraft().values.fields[0]).toMatchObject({
    name: "links",
    fields: [{ name: "text", selector: "b" }],
  });
  await user.click(screen.getByRole("button", { name: "Remove text" }));
  expect(screen.queryByRole("button", { name: "Remove text" })).toBeNull();
});

test("what is wrong is said where it is, and nothing is sent", async () => {
  const api = serve();
  show(<Component />);
  await user.click(screen.getByRole("button", { name: "Start the crawl" }));
  expect(screen.getByRole("textbox", { name: /Address/ })).toHaveAccessibleDescription(
    /Give the address of a page/,
  );
  expect(screen.getByText("1 value needs correction.")).toBeInTheDocument();
  expect(api.asked).toEqual([]);
});

test("a refusal of the API unfolds the part of the form that it is about", async () => {
  const error = { code: "invalid", message: "parameters.include: has '('.", field: "parameters.include" };
  serve({ tasks: () => ({ status: 422, body: { error } }) });
  show(<Component />);
  await user.type(screen.getByRole("textbox", { name: /Address/ }), "example.com");
  await user.click(screen.getByRole("button", { name: "Start the crawl" }));
  const include = await screen.findByRole("textbox", { name: "Only addresses that match" });
  expect(include).toHaveAccessibleDescription(/parameters.include: has '\('./);
});

test("the task that is sent is what the commands show", async () => {
  const api = serve();
  show(<Component />);
  await user.type(screen.getByRole("textbox", { name: /Address/ }), "example.com");
  await user.type(screen.getByRole("textbox", { name: "Depth" }), "2");
  expect(screen.getByLabelText("Command line")).toHaveTextContent("https://example.com \\ --depth 2");
  await user.click(screen.getByRole("button", { name: "Start the crawl" }));
  await screen.findByText("The crawl was started: task-1");
  expect(api.last("/tasks")).toEqual({
    task_type: "web_crawl",
    parameters: { url: "https://example.com", depth: 2 },
  });
});

test("JSON follows the form, says where it is broken, and comes back into the form", async () => {
  serve();
  show(<Component />);
  await user.type(screen.getByRole("textbox", { name: /Address/ }), "example.com");
  await user.click(screen.getByRole("tab", { name: "JSON" }));
  const text = screen.getByRole("textbox", { name: "Task as JSON" });
  await waitFor(() => expect(text).toHaveValue(expect.stringContaining('"url": "https://example.com"')));
  await user.clear(text);
  await user.click(text);
  await user.paste('{\n  "parameters": {"url": "https://a.example" "depth": 1}\n}');
  expect(text).toHaveAccessibleDescription(/Line 2, column 45: a comma/);
  expect(screen.getByRole("button", { name: "Start the crawl" })).toBeDisabled();
  await user.clear(text);
  await user.paste('{"parameters": {"url": "https://a.example", "depth": 1}}');
  await user.click(screen.getByRole("button", { name: "Take over into the form" }));
  expect(screen.getByRole("textbox", { name: /Address/ })).toHaveValue("https://a.example");
  expect(screen.getByRole("textbox", { name: "Depth" })).toHaveValue("1");
});

test("what was filled in is there after a reload", async () => {
  serve();
  const { unmount } = show(<Component />);
  await user.type(screen.getByRole("textbox", { name: /Address/ }), "example.com");
  await user.type(screen.getByRole("textbox", { name: "Priority" }), "7");
  unmount();
  show(<Component />);
  expect(screen.getByRole("textbox", { name: /Address/ })).toHaveValue("example.com");
  expect(screen.getByRole("textbox", { name: "Priority" })).toHaveValue("7");
});
