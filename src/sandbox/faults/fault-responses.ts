import { errorStatuses } from "../../web/http/errors.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import type { ErrorCode } from "../../platform/lib/errors.ts";
import { carryOut } from "./failures.ts";
import type { Fault } from "./faults.ts";

const minuteMs = 60_000;
/** Limit that a 429 states to a caller without one. */
const limitDefault = 600;

/** Statuses that a fault can have: the error statuses of the API. */
export const faultStatuses: readonly number[] = Object.values(errorStatuses);

/**
 * Carries out a fault of an API request. The responses have the form of the production ones, and the request counts
 * toward the limit of its key as every request does.
 * @param charge counts the request, and returns the headers of its response
 */
export function respondWithFault(
  fault: Fault,
  request: Request,
  {
    now,
    charge,
    respond,
  }: {
    now: Instant;
    charge: (request: Request) => Record<string, string>;
    respond: () => Promise<Response>;
  },
): Promise<Response> {
  // The regular response counts the request itself.
  const isFailure = fault.status !== undefined || fault.ending !== undefined;
  return carryOut(fault, request, failWith(isFailure ? charge(request) : {}), respond);

  function failWith(headers: Record<string, string>) {
    return (status: number, more: Record<string, string>): Response => {
      const code = codeOf(status);
      const message = "This error was requested: it is a fault of the sandbox (POST /sandbox/faults).";
      return Response.json(
        { error: { code, message } },
        { status, headers: { ...headersFor(code, headers, now), ...more } },
      );
    };
  }
}

function codeOf(status: number): ErrorCode {
  const entry = Object.entries(errorStatuses).find(([, known]) => known === status);
  return (entry?.[0] ?? "internal_error") as ErrorCode;
}

/** Returns the headers of a response with that error. */
function headersFor(code: ErrorCode, headers: Record<string, string>, now: Instant): Record<string, string> {
  const { "www-authenticate": _challenge, "retry-after": _wait, ...common } = headers;
  if (code === "unauthorized") {
    const limits = Object.keys(common).filter((name) => name.startsWith("x-ratelimit-"));
    for (const name of limits) delete common[name];
    return { ...common, "www-authenticate": "Bearer" };
  }
  if (code !== "rate_limit_exceeded") return common;
  const reset = Number(common["x-ratelimit-reset"] ?? Math.ceil((now + minuteMs) / 1000));
  return {
    ...common,
    "x-ratelimit-limit": common["x-ratelimit-limit"] ?? `${limitDefault}`,
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset": `${reset}`,
    "retry-after": `${Math.max(1, Math.ceil(reset - now / 1000))}`,
  };
}
