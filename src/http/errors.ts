import { type ErrorCode, notFound, PublicError } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";

/** The one table from codes to HTTP statuses; no other status leaves `/v1`, besides 200. */
export const errorStatuses = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  rate_limit_exceeded: 429,
  internal_error: 500,
} as const satisfies Record<ErrorCode, number>;

export interface ErrorBody {
  error: { code: ErrorCode; message: string };
}

/** What a caller is told of anything that was thrown, and what the log keeps of it. */
export function describeError(
  error: unknown,
  request: { id: string; method: string; path: string },
  log: Log,
): { status: number; body: ErrorBody } {
  const known = publicErrorOf(error);
  if (known === undefined) log.error({ error, request }, "a request failed");
  else if (known.detail !== undefined) log.debug({ detail: known.detail, request }, "a request was refused");
  const { code, message } = known ?? internalError;
  return { status: errorStatuses[code], body: { error: { code, message } } };
}

const internalError = {
  code: "internal_error",
  message: "Something went wrong on our side. The log holds the cause under this answer's X-Request-Id.",
} as const;

function publicErrorOf(error: unknown): PublicError | undefined {
  if (error instanceof PublicError) return error;
  // The router's own: no route has this path and method.
  if ((error as { code?: unknown } | null)?.code === "NOT_FOUND") return noSuchRoute();
  return undefined;
}

export function noSuchRoute(): PublicError {
  return notFound("There is nothing at this path for this method. /docs shows what there is.");
}
