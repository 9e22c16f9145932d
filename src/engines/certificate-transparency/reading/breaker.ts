import type { Clock } from "../../../platform/lib/clock.ts";
import { LogError } from "../log.ts";

/**
 * Breaker of one log. After an error it admits no request for a growing time, then one request at a time until one
 * succeeds. After repeated failures it opens: the log is probed only rarely.
 */
export type Breaker = ReturnType<typeof createBreaker>;

const failuresUntilOpen = 5;
const backoffMsMin = 250;
const backoffMsBase = 1_000;
const openMsBase = 60_000;
const openMsMax = 10 * 60_000;
/** Wait after 429 and 503 without Retry-After. */
const rateLimitedMs = 30_000;
/** Limits of Retry-After: a shorter time is no pause, and a longer one would stop a log because of a wrong clock. */
const retryAfterMsMin = 1_000;
const retryAfterMsMax = 10 * 60_000;
/** Largest share that is added to a Retry-After, so that clients do not return at the same moment. */
const retryAfterJitter = 0.2;
/** How long requests wait that are refused because a probe is in flight. */
const probeInFlightMs = 1_000;

/** @param random returns a number from 0 to below 1 */
export function createBreaker(clock: Pick<Clock, "monotonicMs">, random: () => number) {
  let failures = 0;
  let last: LogError | undefined;
  let admitsFromMs = 0;
  let isProbing = false;
  /** Requests that were admitted before the last error say nothing new when they fail too. */
  let generation = 0;

  /** Throws like `admit` without admitting a request. */
  const check = () => {
    if (last === undefined) return;
    const waitMs = admitsFromMs - clock.monotonicMs();
    if (waitMs > 0) throw withWait(last, waitMs);
    if (isProbing) throw withWait(last, probeInFlightMs);
  };

  return {
    check,
    isOpen: () => failures >= failuresUntilOpen,

    /**
     * Admits a request, or throws the last error with the remaining time. The result must be called once, with the
     * outcome: undefined if the request succeeded or was cancelled, otherwise the error. It returns the time until the
     * next request is admitted.
     */
    admit(): (error: LogError | undefined, options?: { isCancelled?: boolean }) => number {
      check();
      const isProbe = last !== undefined;
      if (isProbe) isProbing = true;
      const admittedIn = generation;
      return (error, { isCancelled = false } = {}) => {
        if (isProbe) isProbing = false;
        if (error === undefined) {
          // A success that was admitted before an error does not end the wait that followed it.
          if (!isCancelled && admittedIn === generation) {
            failures = 0;
            last = undefined;
          }
          return 0;
        }
        if (admittedIn === generation) {
          generation++;
          failures++;
        }
        last = error;
        const nowMs = clock.monotonicMs();
        admitsFromMs = Math.max(admitsFromMs, nowMs + waitAfterFailureMs(failures, error, random));
        return admitsFromMs - nowMs;
      };
    },
  };
}

/** Returns the wait after a number of consecutive failures: exponential with full jitter, or as long as the log asked for. */
export function waitAfterFailureMs(failures: number, error: LogError, random: () => number): number {
  const backoffMs =
    failures < failuresUntilOpen
      ? backoffMsMin + random() * backoffMsBase * 2 ** (failures - 1)
      : openMsBase +
        random() * Math.min(openMsMax - openMsBase, openMsBase * 2 ** (failures - failuresUntilOpen));
  if (error.kind !== "rate_limited") return Math.round(backoffMs);
  const askedMs = error.retryAfterMs ?? rateLimitedMs;
  const clampedMs = Math.min(retryAfterMsMax, Math.max(retryAfterMsMin, askedMs));
  return Math.round(
    Math.max(clampedMs * (1 + random() * retryAfterJitter), error.retryAfterMs === null ? backoffMs : 0),
  );
}

function withWait({ kind, message }: LogError, waitMs: number): LogError {
  return new LogError(kind, message, waitMs);
}
