import type { FailureConsequence } from "../../deliveries/channel.ts";
import { fieldsOf, parseJson } from "../../../platform/lib/json.ts";
import type { NoticeResponse, ResponseOutcome } from "./notice-type.ts";
import responseCodes from "./response-codes.json" with { type: "json" };

/** Meaning of a response, as its service defines it. */
interface Meaning {
  /** Code of the error, which `response-codes.json` maps to one of the channel's failures. */
  code?: unknown;
  /** Description of the error. */
  said?: unknown;
  /** Whether the body confirms a success. */
  isConfirmed: boolean;
  /** Default: the status of the response. */
  status?: number;
}

/** Effects of failures. All others concern the recipient, which is disabled. */
const consequences: Readonly<Record<string, FailureConsequence>> = {
  quota: "retry",
  rate_limited: "retry",
  rejected: "drop",
};

/** Classifies a response by its code, then by its status. A success that the body does not confirm is none. */
export function classifyMeaning(
  service: keyof typeof responseCodes,
  response: Pick<NoticeResponse, "body" | "status">,
  { code, said, isConfirmed, status = response.status }: Meaning,
): ResponseOutcome {
  const error = statusError(status, said);
  const codes = Object.entries<readonly unknown[]>(responseCodes[service]);
  const [failure] = codes.find(([, known]) => known.includes(code)) ?? [];
  if (failure !== undefined) return { outcome: consequences[failure] ?? "disable", failure, error };
  const classified = classifyStatus({ status });
  if (classified.outcome !== "delivered") return { ...classified, error };
  return isConfirmed ? classified : unexpected(response.body);
}

/** Classifies a response by its status alone. */
export function classifyStatus({ status }: Pick<NoticeResponse, "status">): ResponseOutcome {
  if (isSuccess(status)) return { outcome: "delivered" };
  const error = `HTTP status ${status}`;
  switch (status) {
    case 401:
    case 403:
      return { outcome: "disable", failure: "unauthorized", error };
    case 404:
    case 410:
      return { outcome: "disable", failure: "gone", error };
    case 408:
    case 425:
      return { outcome: "retry", failure: "status", error };
    case 429:
      return { outcome: "retry", failure: "rate_limited", error };
    default:
      return status >= 400 && status <= 499
        ? { outcome: "drop", failure: "rejected", error }
        : { outcome: "retry", failure: "status", error };
  }
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** Returns the outcome of a successful status whose body is not a response of the service, such as a page. */
export function unexpected(body: string): ResponseOutcome {
  const page = /^\s*<(!doctype|html)/i.test(body) ? "an HTML page" : "another response";
  return { outcome: "retry", failure: "unexpected", error: `${page} instead of a confirmation` };
}

/** Returns the fields of a response that is a JSON object; none if it is anything else. */
export function jsonFields(body: string): Readonly<Record<string, unknown>> {
  return fieldsOf(parseJson(body));
}

/** Returns a number of seconds or milliseconds from a response, or undefined if it is none. */
export function positiveNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;
}

/** Returns the error of an attempt: the status with what the service said. */
function statusError(status: number, said: unknown): string {
  return typeof said === "string" && said !== "" ? `HTTP status ${status}: ${said}` : `HTTP status ${status}`;
}
