/** What the API says when something is not possible. */

interface Details {
  status: number;
  code: string;
  field?: string;
  requestId?: string;
}

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly field: string | undefined;
  readonly requestId: string | undefined;

  constructor(message: string, details: Details) {
    super(message);
    this.name = "ApiError";
    this.status = details.status;
    this.code = details.code;
    this.field = details.field;
    this.requestId = details.requestId;
  }
}

interface ErrorBody {
  error?: { code?: string; message?: string; field?: string | null; request_id?: string };
}

/** The one shape of errors; a proxy in between may answer in another one. */
export function apiErrorOf(response: Response, body: unknown): ApiError {
  const told = (body as ErrorBody | undefined)?.error;
  return new ApiError(told?.message ?? `${response.status} ${response.statusText}`.trim(), {
    status: response.status,
    code: told?.code ?? "unknown",
    field: told?.field ?? undefined,
    requestId: told?.request_id ?? response.headers.get("x-request-id") ?? undefined,
  });
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

export function isUnreachable(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 502);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
