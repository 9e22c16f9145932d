import { errorStatuses } from "../../http/errors.ts";
import type { Instant } from "../../lib/clock.ts";
import type { ErrorCode } from "../../lib/errors.ts";
import { carryOut } from "./failures.ts";
import type { Fault } from "./faults.ts";

const minuteMs = 60_000;
const limit = 600;

/** Statuses that a fault can have: the error statuses of the API. */
export const faultStatuses: readonly number[] = Object.values(errorStatuses);

/** Carries out a fault of an API request. The responses have the form of the production ones. */
export function respondWithFault(
  fault: Fault,
  request: Request,
  now: Instant,
  respond: () => Promise<Response>,
): Promise<Response> {
  return carryOut(fault, request, fail, respond);

  function fail(status: number, headers: Record<string, string>): Response {
    const code = codeOf(status);
    const message = "This error was requested: it is a fault of the sandbox (POST /sandbox/faults).";
    return Response.json(
      { error: { code, message } },
      { status, headers: { ...commonHeaders(request), ...limitHeaders(code, now), ...headers } },
    );
  }
}

function codeOf(status: number): ErrorCode {
  const entry = Object.entries(errorStatuses).find(([, known]) => known === status);
  return (entry?.[0] ?? "internal_error") as ErrorCode;
}

function commonHeaders(request: Request): Record<string, string> {
  return {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": request.headers.get("x-request-id") ?? "sandbox-fault",
  };
}

function limitHeaders(code: ErrorCode, now: Instant): Record<string, string> {
  if (code === "unauthorized") return { "www-authenticate": "Bearer" };
  if (code !== "rate_limit_exceeded") return {};
  return {
    "x-ratelimit-limit": `${limit}`,
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset": `${Math.ceil((now + minuteMs) / 1000)}`,
    "retry-after": `${minuteMs / 1000}`,
  };
}
