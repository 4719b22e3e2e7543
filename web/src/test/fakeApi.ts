/** Answers in place of a master, for one test. */
import { onTestFinished } from "vitest";
import { api } from "@/api/client";

export interface Asked {
  method: string;
  path: string; // decoded
  query: URLSearchParams;
  body: unknown;
}

type Answer = unknown | ((asked: Asked) => unknown);

/** What the API says where something is not possible. */
export function refusal(status: number, message: string, field: string | null = null): Response {
  return Response.json({ error: { code: "test", message, field, request_id: "req-1" } }, { status });
}

/**
 * Answers by method and path, as in `{"GET /api/v1/hosts": {items: []}}`: with JSON, with a Response, with nothing
 * (204) for undefined, or with what a function makes of the request. Returns what was asked, in order.
 */
export function fakeApi(answers: Record<string, Answer>): Asked[] {
  const all: Asked[] = [];
  const middleware = {
    async onRequest({ request }: { request: Request }) {
      const asked = await read(request);
      all.push(asked);
      const name = `${asked.method} ${asked.path}`;
      if (!(name in answers)) return refusal(404, `The test has no answer for ${name}.`);
      const answer = answers[name];
      const told = typeof answer === "function" ? await answer(asked) : answer;
      if (told instanceof Response) return told.clone();
      return told === undefined ? new Response(null, { status: 204 }) : Response.json(told);
    },
  };
  api.use(middleware);
  onTestFinished(() => api.eject(middleware));
  return all;
}

async function read(request: Request): Promise<Asked> {
  const url = new URL(request.url);
  const text = await request.clone().text();
  return {
    method: request.method,
    path: decodeURIComponent(url.pathname),
    query: url.searchParams,
    body: text === "" ? undefined : JSON.parse(text),
  };
}
