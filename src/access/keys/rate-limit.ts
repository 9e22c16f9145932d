import type { Instant } from "../../lib/clock.ts";

/** How a limited key stands after a request. */
export interface RateLimitState {
  /** Requests that the plan allows in a minute. */
  limit: number;
  remaining: number;
  /** When the bucket is full again: Unix time in whole seconds, rounded up. */
  resetSeconds: number;
  /** 0: the request may pass; else it may not, and this many seconds later one may again. */
  retryAfterSeconds: number;
}

export interface RateLimiter {
  /** Takes one token of `bucket` (any number that stands for a key) when it still holds one. */
  take(bucket: number, limit: number, now: Instant): RateLimitState;
}

const refillMs = 60_000;

interface Bucket {
  taken: number;
  fullAt: Instant;
}

/**
 * A bucket for each key that is refilled in one step: its minute starts with the first request after it
 * was full, and at the end of the minute it is full again. In no minute so started more than the limit
 * pass, and the numbers are exact. A bucket exists only for a key that was accepted, so there are never
 * more than keys.
 */
export function createRateLimiter(): RateLimiter {
  const buckets = new Map<number, Bucket>();

  function current(key: number, now: Instant): Bucket {
    let bucket = buckets.get(key);
    if (bucket === undefined) {
      bucket = { taken: 0, fullAt: 0 };
      buckets.set(key, bucket);
    }
    // A minute that ends more than a minute from now began before the clock was set back.
    if (now >= bucket.fullAt || now < bucket.fullAt - refillMs) {
      bucket.taken = 0;
      bucket.fullAt = now + refillMs;
    }
    return bucket;
  }

  return {
    take(key, limit, now) {
      const bucket = current(key, now);
      const passes = bucket.taken < limit;
      if (passes) bucket.taken += 1;
      return {
        limit,
        // A plan that was made smaller within the minute leaves less than nothing.
        remaining: Math.max(0, limit - bucket.taken),
        resetSeconds: Math.ceil(bucket.fullAt / 1000),
        retryAfterSeconds: passes ? 0 : Math.ceil((bucket.fullAt - now) / 1000),
      };
    },
  };
}
