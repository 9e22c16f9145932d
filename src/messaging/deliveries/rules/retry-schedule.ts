import type { Instant } from "../../../platform/lib/clock.ts";

/** Default retry delays: 1 minute, 5 minutes, 30 minutes, 2 hours. */
export const specifiedRetryDelaysMs = [60_000, 300_000, 1_800_000, 7_200_000] as const;

/** A schedule of milliseconds would otherwise be repeated for days. */
const furtherAttemptsMax = 100;

/** Maximum share of a delay that jitter adds. Jitter never shortens a delay. */
const jitterMax = 0.1;

export interface RetryPolicy {
  /** Delays from the end of attempt 1, 2, … to the next attempt. */
  delaysMs: readonly number[];
  /** Maximum share of a delay that is added at random, 0 to 0.1. */
  jitter: number;
}

/** Returns the policy with its last delay repeated until a delivery has been tried for `forMs`. */
export function extended(policy: RetryPolicy, forMs: number): RetryPolicy {
  const { delaysMs } = policy;
  const lastMs = delaysMs.at(-1);
  // Without a schedule, nothing is ever sent again.
  if (lastMs === undefined) return policy;
  const scheduledMs = delaysMs.reduce((sum, delayMs) => sum + delayMs, 0);
  const further = Math.min(furtherAttemptsMax, Math.ceil(Math.max(0, forMs - scheduledMs) / lastMs));
  return { ...policy, delaysMs: [...delaysMs, ...Array.from({ length: further }, () => lastMs)] };
}

/**
 * Returns the longest time that a delivery can wait for its next attempt, including jitter and a delay that the
 * recipient asked for.
 * @param attempts number of attempts so far
 */
export function longestWaitMs({ delaysMs }: RetryPolicy, attempts: number): number {
  if (attempts === 0) return 0;
  const delayMs = delaysMs[attempts - 1] ?? Math.max(0, ...delaysMs);
  return Math.ceil(Math.max(delayMs, delaysMs[attempts] ?? delayMs) * (1 + jitterMax));
}

/**
 * Returns the pseudorandom number from 0 to below 1 that decides the jitter after an attempt. Computed instead of drawn,
 * because attempts end in any order: in the sandbox, the same requests give the same times.
 */
export function jitterOf(deliverySeq: number, attempts: number): number {
  return Bun.hash.xxHash32(`${deliverySeq} ${attempts}`) / 2 ** 32;
}

interface NextAttemptAtOptions {
  policy: RetryPolicy;
  attempts: number;
  endedAt: Instant;
  retryAfterMs?: number | undefined;
  random: number;
}

/**
 * Returns the time of the next attempt of a delivery whose attempts have all failed, or undefined if there
 * is none.
 * @param attempts number of attempts so far, 1 or more
 * @param endedAt end of the last attempt
 * @param retryAfterMs delay that the recipient asked for; extends the delay up to the next one in the schedule
 * @param random 0 to 1; see `jitterOf`
 */
export function nextAttemptAt(options: NextAttemptAtOptions): Instant | undefined {
  const { policy, attempts, endedAt, retryAfterMs = 0, random } = options;
  const delayMs = policy.delaysMs[attempts - 1];
  if (delayMs === undefined) return undefined;
  const longestMs = Math.max(delayMs, policy.delaysMs[attempts] ?? delayMs);
  const wantedMs = Math.min(Math.max(delayMs, retryAfterMs), longestMs);
  return Math.ceil(endedAt + wantedMs * (1 + Math.min(policy.jitter, jitterMax) * random));
}

/** Consecutive failures after which the breaker holds a recipient's deliveries. */
export const breakerFailures = 3;
const probeDelayMsMin = 30_000;
const probeDelayMsMax = 10 * 60_000;
/** A longer outage is probed more rarely. */
const outageShare = 1 / 2;

/**
 * Returns the delay until the next probe of a recipient whose deliveries are held: half the time for which it has been
 * failing, within 30 seconds and 10 minutes.
 */
export function probeDelayMs(failingForMs: number): number {
  return Math.min(probeDelayMsMax, Math.max(probeDelayMsMin, Math.round(failingForMs * outageShare)));
}

/** Returns the latest time at which a probe can be due. */
export function latestProbe(now: number): number {
  return now + probeDelayMsMax;
}
