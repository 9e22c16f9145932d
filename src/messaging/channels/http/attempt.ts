import type { AttemptResult, NotAttempted } from "../../deliveries/channel.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { PublicError } from "../../../platform/lib/errors.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import type { Phases } from "../../../platform/network/http/converse.ts";
import type { ExchangeResult } from "../../../platform/network/http/http-client.ts";

const responseBytesKept = 1_024;
const errorCharactersMax = 500;
const utf8 = new TextDecoder();

/** Returns the result of an attempt of which nothing was sent. */
export function unsent(startedAt: Instant): AttemptResult {
  return {
    startedAt,
    durationMs: 0,
    phases: {},
    address: null,
    statusCode: null,
    failure: null,
    error: null,
    response: "",
    retryAfterMs: undefined,
  };
}

/** Returns the observations of an exchange, without what the response means. */
export function observed(result: ExchangeResult, startedAt: Instant): AttemptResult {
  return {
    ...unsent(startedAt),
    durationMs: Math.round(result.durationMs),
    phases: rounded(result.phases),
    address: result.address ?? null,
  };
}

/**
 * Returns the attempt of a test, which nothing aborts.
 * @throws PublicError `internal_error` if no file descriptor was left for it
 */
export function testAttempt(result: AttemptResult | NotAttempted): AttemptResult {
  if (result === "no_descriptor")
    throw new PublicError(
      "internal_error",
      "phishwatch has no file descriptor left; raise its limit of open files",
    );
  if (result === "aborted") throw new Error("a test without a signal was aborted");
  return result;
}

/** @param failure one of the channel's failure codes */
export function failed<Failure extends string>(
  result: AttemptResult,
  failure: Failure,
  error: string,
): AttemptResult {
  return { ...result, failure, error: visible(error, errorCharactersMax) };
}

/** Decodes the start of a response. Bytes that are not UTF-8 (compressed data, a cut character) become U+FFFD. */
export function startOf(body: Uint8Array): string {
  return visible(utf8.decode(body.subarray(0, responseBytesKept)), responseBytesKept);
}

/** Rounds durations to a tenth of a millisecond. */
function rounded(phases: Phases): Record<string, number> {
  const shown: Record<string, number> = {};
  for (const [name, ms] of Object.entries(phases)) shown[name] = Math.round(ms * 10) / 10;
  return shown;
}
