import type { Clock, Timer } from "../../lib/clock.ts";

/** Lets so much happen in a second; the rest waits for its turn, first come, first served. */
export interface TokenBucket {
  /** Is kept when the turn has come, or at once when `signal` gives up: nothing is taken then. */
  take(signal?: AbortSignal): Promise<void>;
}

/**
 * A fiftieth of a second's worth may go at once: timers are not fine enough for one after another. Not more,
 * for a receiver has room for some hundred datagrams that it has not looked at yet.
 */
const burstParts = 50;
const secondMs = 1_000;

export function createTokenBucket({ clock, perSecond }: { clock: Clock; perSecond: number }): TokenBucket {
  const burst = Math.max(1, perSecond / burstParts);
  const waiting = new Set<() => void>();
  let tokens = burst;
  let filledAt = clock.now();
  let timer: Timer | undefined;

  function refill(): void {
    const now = clock.now();
    // The clock may have been set back; that costs a moment's tokens, not the wait for its return.
    const elapsedMs = Math.max(0, now - filledAt);
    tokens = Math.min(burst, tokens + (elapsedMs * perSecond) / secondMs);
    filledAt = now;
  }

  function serve(): void {
    timer = undefined;
    refill();
    for (const go of waiting) {
      if (tokens < 1) break;
      tokens--;
      go();
    }
    arm();
  }

  function arm(): void {
    if (waiting.size === 0 || timer !== undefined) return;
    timer = clock.after(Math.max(1, Math.ceil(((1 - tokens) * secondMs) / perSecond)), serve);
  }

  return {
    take(signal) {
      if (signal?.aborted === true) return Promise.resolve();
      if (waiting.size === 0) {
        refill();
        if (tokens >= 1) {
          tokens--;
          return Promise.resolve();
        }
      }
      return new Promise((resolve) => {
        const go = () => {
          waiting.delete(go);
          signal?.removeEventListener("abort", go);
          if (waiting.size === 0) {
            timer?.cancel();
            timer = undefined;
          }
          resolve();
        };
        waiting.add(go);
        signal?.addEventListener("abort", go);
        arm();
      });
    },
  };
}
