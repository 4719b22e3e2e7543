/** The API of the master that served this page. Types come from its OpenAPI description. */
import createClient from "openapi-fetch";
import { ApiError, apiErrorOf } from "@/api/errors";
import type { paths } from "@/api/schema";

export const api = createClient<paths>({ baseUrl: window.location.origin, credentials: "same-origin" });

interface Outcome<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The data of an answer. Throws ApiError where there is none, also where no server answers. */
export async function answerOf<T>(call: Promise<Outcome<T>>): Promise<T> {
  let outcome: Outcome<T>;
  try {
    outcome = await call;
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw new ApiError("No master answers.", { status: 0, code: "unreachable" });
  }
  if (!outcome.response.ok) throw apiErrorOf(outcome.response, outcome.error);
  return outcome.data as T;
}
