import { isBusy } from "../../platform/database/files/errors.ts";
import { DatabaseLockedError } from "../../platform/database/write-queue.ts";
import { lockedCode } from "../../platform/database/lock-watch.ts";
import { type ErrorCode, notFound, PublicError, codeOf } from "../../platform/lib/errors.ts";
import type { Log } from "../../platform/lib/log.ts";

/** The only mapping from codes to HTTP statuses. `/v1` returns no other status except 200. */
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

/** Returns the response to anything that was thrown, and logs what the response must not contain. */
export function describeError(
  error: unknown,
  { id, method, path }: { id: string; method: string; path: string },
  log: Log,
): { status: number; body: ErrorBody; retryAfterSeconds?: number } {
  const fields = { request: id, method, path };
  if (isBusy(error)) return describeBusy(error, fields, log);
  const known = publicErrorOf(error);
  if (known === undefined) log.event("http.request_failed", { error, ...fields });
  else if (known.detail !== undefined)
    log.event("http.request_rejected", { detail: known.detail, ...fields });
  const { code, message } = known ?? internalError;
  const retryAfterSeconds = known?.retryAfterSeconds;
  return {
    status: errorStatuses[code],
    body: { error: { code, message } },
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}

/** Another process holds the write lock. Nothing of the rejected write has happened. */
function describeBusy(
  error: unknown,
  fields: { request: string; method: string; path: string },
  log: Log,
): { status: number; body: ErrorBody; retryAfterSeconds: number } {
  // The database has logged the incident once, with the process that holds the lock.
  if (error instanceof DatabaseLockedError)
    log.event("http.request_rejected", { code: lockedCode, ...fields });
  else log.event("http.request_failed", { code: lockedCode, error, ...fields });
  const message = "The database is busy, so the request was not completed. Send it again in a few seconds.";
  return {
    status: errorStatuses.internal_error,
    body: { error: { code: "internal_error", message } },
    retryAfterSeconds: busyRetrySeconds,
  };
}
const busyRetrySeconds = 1;

/** Public text of an unexpected error: it must not contain anything internal. */
export const internalError = {
  code: "internal_error",
  message: "Internal server error. The log has the cause under the X-Request-Id of this response.",
} as const satisfies ErrorBody["error"];

function publicErrorOf(error: unknown): PublicError | undefined {
  if (error instanceof PublicError) return error;
  // Thrown by Elysia if no route has this path and method.
  if (codeOf(error) === "NOT_FOUND") return noSuchRoute();
  return undefined;
}

export function noSuchRoute(): PublicError {
  return notFound("There is no route for this method and path. See /docs.");
}
