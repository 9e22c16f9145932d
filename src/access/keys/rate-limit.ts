import type { Instant } from "../../platform/lib/clock.ts";

/** State of a key's rate limit after a request. */
interface RateLimitState {
  /** Requests per minute that the plan allows. */
  limit: number;
  remaining: number;
  /** When the bucket is refilled, in Unix seconds, rounded up. */
  resetSeconds: number;
  /** 0 if the request is allowed; otherwise the seconds after which a request will be. */
  retryAfterSeconds: number;
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

const refillMs = 60_000;

interface Bucket {
  taken: number;
  fullAt: Instant;
}

/**
 * Fixed-window rate limiter. A key's window of one minute starts with its first request and allows exactly `limit`
 * requests; the next request after it starts a new window. Only valid keys get a bucket, so memory is limited by their
 * number.
 */
export function createRateLimiter() {
  const buckets = new Map<number, Bucket>();

  function current(key: number, now: Instant): Bucket {
    let bucket = buckets.get(key);
    if (bucket === undefined) {
      bucket = { taken: 0, fullAt: 0 };
      buckets.set(key, bucket);
    }
    // A window that ends more than a minute from now started before the clock was set back.
    if (now >= bucket.fullAt || now < bucket.fullAt - refillMs) {
      bucket.taken = 0;
      bucket.fullAt = now + refillMs;
    }
    return bucket;
  }

  return {
    /** Takes a token from the key's bucket unless it is empty. `key` is any number that identifies a key. */
    take(key: number, limit: number, now: Instant): RateLimitState {
      const bucket = current(key, now);
      const isAllowed = bucket.taken < limit;
      if (isAllowed) bucket.taken += 1;
      return {
        limit,
        // Negative if the plan was reduced within the window.
        remaining: Math.max(0, limit - bucket.taken),
        resetSeconds: Math.ceil(bucket.fullAt / 1000),
        retryAfterSeconds: isAllowed ? 0 : Math.ceil((bucket.fullAt - now) / 1000),
      };
    },
  };
}
