import { BoundedMap } from "../../platform/lib/bounded-map.ts";
import type { Clock } from "../../platform/lib/clock.ts";

/** Wrong codes that are verified without delay. */
const burstMax = 10;
/** After that, one per this time: 2,016 a week, of which one is correct with a probability of 0.6 %. */
const paceMs = 300_000;
/** Maximum number of keys that are remembered, about 1 MB. The least recently used one is forgotten. */
const keysMax = 10_000;

interface Bucket {
  tokens: number;
  atMs: number;
}

/**
 * Limits wrong one-time codes, which have only 6 digits, by key: an account and where the codes come from. Entering codes
 * takes the password. Recovery codes are not limited, because they cannot be guessed: with one of them, or in a
 * browser that has signed in to the account before, its owner can sign in while others guess.
 */
export function createCodeLimits({ clock }: { clock: Pick<Clock, "monotonicMs"> }) {
  const buckets = new BoundedMap<string, Bucket>(keysMax);

  function refilled(key: string): Bucket {
    const nowMs = clock.monotonicMs();
    const { tokens, atMs } = buckets.get(key) ?? { tokens: burstMax, atMs: nowMs };
    return { tokens: Math.min(burstMax, tokens + (nowMs - atMs) / paceMs), atMs: nowMs };
  }

  function store(key: string, bucket: Bucket): void {
    if (bucket.tokens < burstMax) buckets.set(key, bucket);
    else buckets.delete(key);
  }

  return {
    /** Returns whether another code may be verified, and counts it. */
    take(key: string): boolean {
      const bucket = refilled(key);
      if (bucket.tokens < 1) return false;
      store(key, { ...bucket, tokens: bucket.tokens - 1 });
      return true;
    },
    /** Takes back the count, because the code was correct. */
    giveBack(key: string) {
      const bucket = refilled(key);
      store(key, { ...bucket, tokens: Math.min(burstMax, bucket.tokens + 1) });
    },
  };
}
