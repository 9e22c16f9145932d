import { Type } from "@sinclair/typebox";
import { badRequest } from "../../platform/lib/errors.ts";
import { choice } from "../../platform/vocabulary/schemas.ts";
import type { Failure } from "../faults/failures.ts";
import { faultStatuses } from "../faults/fault-responses.ts";
import { faultsMax } from "../faults/faults.ts";
import { bodyOf, empty, operation, optionalFlag, optionalText, readDuration, returns } from "./operation.ts";
import { fault as faultSchema } from "./schemas.ts";

const timesMax = 1_000_000;
const delayMsMax = 600_000;
const methods = ["GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS"] as const;

/** Body fields that describe a failure. */
export const failureFields = {
  times: Type.Optional(
    Type.Integer({ minimum: 1, maximum: timesMax, description: "number of requests; default: 1" }),
  ),
  delay: optionalText("real time to wait before the response, such as 500ms; at most 10m"),
  reset: optionalFlag("true: closes the connection without a response"),
  silence: optionalFlag("true: never responds"),
  retry_after: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 86_400, description: "seconds, for the Retry-After header" }),
  ),
};

/** Operations on faults: failures of the next API requests. */
export const faultOperations = [
  operation({
    method: "POST",
    path: "/sandbox/faults",
    id: "addFault",
    summary: "Makes the next matching API requests fail, respond late or never respond",
    body: bodyOf({
      method: Type.Optional(choice(methods, { description: "default: any" })),
      path: Type.Optional(
        Type.String({
          pattern: "^/",
          maxLength: 500,
          description: "* matches any characters; default: any path",
        }),
      ),
      status: Type.Optional(
        Type.Union(
          faultStatuses.map((status) => Type.Literal(status)),
          { description: "status of the error response" },
        ),
      ),
      ...failureFields,
    }),
    response: empty,
    run({ faults }, { body: { method, path, times, ...body } }) {
      if (faults.list().length >= faultsMax) throw badRequest(`There are already ${faultsMax} faults.`);
      faults.add({ ...readFailure(body), method, path, left: times ?? 1 });
      return { data: {} };
    },
  }),
  operation({
    method: "GET",
    path: "/sandbox/faults",
    id: "listFaults",
    summary: "Lists the pending faults",
    response: returns("The faults", Type.Array(faultSchema)),
    run: ({ faults }) => ({
      data: faults.list().map(({ left, method, path, status, delayMs, ending, retryAfterSeconds }) => ({
        left,
        method: method ?? null,
        path: path ?? null,
        status: status ?? null,
        delay_ms: delayMs ?? 0,
        answer: ending ?? null,
        retry_after: retryAfterSeconds ?? null,
      })),
    }),
  }),
  operation({
    method: "DELETE",
    path: "/sandbox/faults",
    id: "clearFaults",
    summary: "Deletes all faults",
    response: empty,
    run({ faults }) {
      faults.clear();
      return { data: {} };
    },
  }),
];

interface FailureBody {
  status?: number;
  delay?: string;
  reset?: boolean;
  silence?: boolean;
  retry_after?: number;
}

/** @throws PublicError `bad_request` if the body states no failure or more than one */
export function readFailure({
  status,
  delay,
  reset,
  silence,
  retry_after: retryAfterSeconds,
}: FailureBody): Failure {
  const endings = [status !== undefined, reset === true, silence === true].filter(Boolean).length;
  if (endings > 1) throw badRequest('Send one of "status", "reset" and "silence".');
  if (endings === 0 && delay === undefined)
    throw badRequest('State the failure: "status", "delay", "reset" or "silence".');
  const delayMs = delay === undefined ? undefined : readDuration("delay", delay);
  if (delayMs !== undefined && delayMs > delayMsMax) throw badRequest('"delay" is at most 10m.');
  const ending = reset === true ? ("reset" as const) : silence === true ? ("silence" as const) : undefined;
  return { status, retryAfterSeconds, delayMs, ending };
}
