import type { Instant } from "../lib/clock.ts";

/** The interface specification's "Retry policy". */
export const specifiedRetryDelaysMs = [60_000, 300_000, 1_800_000, 7_200_000] as const;

/** Jitter only ever adds, and at most this share of the delay. */
const jitterMax = 0.1;

export interface RetryPolicy {
  /** How long after the end of attempt 1, 2, … the next one is due. */
  delaysMs: readonly number[];
  /** Share of a delay, 0 to 0.1, of which a random part is added. */
  jitter: number;
}

/** No delivery ever waits for longer than this. */
export function longestDelayMs({ delaysMs }: RetryPolicy): number {
  return Math.ceil(Math.max(0, ...delaysMs) * (1 + jitterMax));
}

/**
 * When a delivery whose attempts all failed is tried again; undefined when it has failed for good.
 * @param attempts made so far, 1 or more
 * @param endedAt when the last of them ended
 * @param retryAfterMs what the receiver asked for: lengthens the delay up to the next one in the schedule
 * @param random 0 to 1
 */
export function nextAttemptAt({
  policy,
  attempts,
  endedAt,
  retryAfterMs = 0,
  random,
}: {
  policy: RetryPolicy;
  attempts: number;
  endedAt: Instant;
  retryAfterMs?: number | undefined;
  random: number;
}): Instant | undefined {
  const delayMs = policy.delaysMs[attempts - 1];
  if (delayMs === undefined) return undefined;
  const longestMs = Math.max(delayMs, policy.delaysMs[attempts] ?? delayMs);
  const wantedMs = Math.min(Math.max(delayMs, retryAfterMs), longestMs);
  return Math.ceil(endedAt + wantedMs * (1 + Math.min(policy.jitter, jitterMax) * random));
}

/**
 * How long the receiver asks to be left alone (RFC 9110 section 10.2.3: seconds or a date); undefined
 * when it does not say, or not in a way that can be read.
 */
export function requestedDelayMs(
  status: number,
  header: string | undefined,
  now: Instant,
): number | undefined {
  if ((status !== 429 && status !== 503) || header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  // The three forms of RFC 9110 section 5.6.7 all begin with the day of the week and say GMT or nothing.
  const date = /^[A-Z][a-z]{2,8},? /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) || date <= now ? undefined : date - now;
}
