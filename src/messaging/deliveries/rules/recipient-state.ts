import { describeFailure as describeConnectionFailure } from "../../../platform/network/failure.ts";

export const disabledReasons = ["operator", "undeclared", "failing", "gone"] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** Why a recipient is disabled, in words. */
export const disabledBecause: Readonly<Record<DisabledReason, string>> = {
  operator: "paused by a person",
  undeclared: "no longer in the configuration file",
  failing: "every delivery failed",
  gone: "the receiver no longer exists or rejects its secret",
};

/** Returns whether phishwatch disabled the recipient because of the receiver's responses, or of the lack of them. */
export function isDisabledForFailing(reason: DisabledReason | null): reason is "failing" | "gone" {
  return reason === "failing" || reason === "gone";
}

/** Fields of a recipient that decide its state. Times are milliseconds since the Unix epoch. */
export interface StateFields {
  enabled: boolean;
  consecutiveFailures: number;
  lastFailure: LastFailure | null;
  nextProbeAt: number | null;
}

/**
 * State of a recipient: `held` if the breaker holds its deliveries, `failing` if the last attempt failed, `enabled` if
 * neither.
 */
export type RecipientState = "enabled" | "failing" | "held" | "disabled";

export function recipientState({ enabled, consecutiveFailures, nextProbeAt }: StateFields): RecipientState {
  if (!enabled) return "disabled";
  if (nextProbeAt !== null && consecutiveFailures > 0) return "held";
  return consecutiveFailures > 0 ? "failing" : "enabled";
}

/** Returns why the last attempt failed, in one line, or null if it succeeded or none was made. */
export function causeOf({ lastFailure }: Pick<StateFields, "lastFailure">): string | null {
  return lastFailure === null ? null : describeFailure(lastFailure);
}

/** Outcome of the last failed attempt at a recipient, until it succeeds again. */
export interface LastFailure {
  /** One of the channel's failure codes. */
  failure: string;
  /** Readable reason. */
  error: string;
  /** Null if there was no response. */
  statusCode: number | null;
  durationMs: number;
  /** Start of the response, escaped for display. */
  response: string;
}

const responseCharactersMax = 80;

/** Returns the cause of a failure in one line, such as `500 after 8 ms: token expired`. */
export function describeFailure({ error, failure, statusCode, durationMs, response }: LastFailure): string {
  const what =
    failure === "status" && statusCode !== null ? String(statusCode) : reasonOf({ failure, error });
  const start = response.slice(0, responseCharactersMax).trim();
  return `${what} after ${durationMs} ms${start === "" ? "" : `: ${start}`}`;
}

/** Returns why there was no response, for people. */
export function reasonOf({ failure, error }: Pick<LastFailure, "failure" | "error">): string {
  return failure === "connect" ? describeConnectionFailure({ failure, reason: error }) : error;
}

/** Returns what to remember of a failed attempt. The response is kept as far as `describeFailure` shows it. */
export function toLastFailure({
  failure,
  error,
  statusCode,
  durationMs,
  response,
}: Omit<LastFailure, "failure" | "error"> & { failure: string | null; error: string | null }): LastFailure {
  const code = failure ?? "unknown";
  return {
    failure: code,
    error: error ?? code,
    statusCode,
    durationMs,
    response: response.slice(0, responseCharactersMax),
  };
}
