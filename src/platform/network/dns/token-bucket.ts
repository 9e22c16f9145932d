import type { Clock, Timer } from "../../lib/clock.ts";

/**
 * A fiftieth of a second's tokens may be used at once, because timers are too coarse for single tokens. Not more,
 * because a receiver buffers only about a hundred datagrams.
 */
const burstParts = 50;
const secondMs = 1_000;

/**
 * Limits a rate per second; excess work waits in order of arrival.
 * @param options.perSecond read when tokens are added, because it can change
 */
export function createTokenBucket({ clock, perSecond }: { clock: Clock; perSecond: () => number }) {
  const burst = () => Math.max(1, perSecond() / burstParts);
  const waiting = new Set<() => void>();
  let tokens = burst();
  let filledAtMs = clock.monotonicMs();
  let timer: Timer | undefined;

  function refill(): void {
    const nowMs = clock.monotonicMs();
    const elapsedMs = nowMs - filledAtMs;
    tokens = Math.min(burst(), tokens + (elapsedMs * perSecond()) / secondMs);
    filledAtMs = nowMs;
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
    timer = clock.after(Math.max(1, Math.ceil(((1 - tokens) * secondMs) / perSecond())), serve);
  }

  return {
    /** Resolves when a token is available, or at once when `signal` aborts, without taking a token. */
    take(signal?: AbortSignal): Promise<void> {
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
