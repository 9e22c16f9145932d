import { describeFailure as describeConnectionFailure } from "../../../platform/network/failure.ts";

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
