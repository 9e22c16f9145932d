import { delay, type Clock } from "../../../platform/lib/clock.ts";
import { createLimiter, type Limiter } from "../../../platform/lib/limiter.ts";
import { createTokenBucket, type TokenBucket } from "../../../platform/network/dns/token-bucket.ts";
import type { OperatorRate } from "./operator-rates.ts";

/** Keeps the requests to each operator within its rate and concurrency, and all requests within a total. */
export interface RequestBudget {
  /**
   * Sends a request when it is the operator's turn. Rejects with the reason of `signal` if it aborts first.
   */
  run<T>(signal: AbortSignal, send: () => Promise<T>): Promise<T>;
  /** Sends nothing to the operator for this long, because it asked for a pause. */
  pause(delayMs: number): void;
}

/** Maximum number of concurrent requests to all operators; with the size of a response, it bounds the memory. */
const concurrencyMax = 12;

/** Returns a function that returns the budget of an operator; its logs share one. */
export function createRequestBudgets({
  clock,
}: {
  clock: Clock;
}): (operator: string, rate: OperatorRate) => RequestBudget {
  const everyone = createLimiter(concurrencyMax);
  const budgets = new Map<string, RequestBudget>();
  return (operator, rate) => {
    const budget = budgets.get(operator) ?? createRequestBudget({ clock, everyone, rate });
    budgets.set(operator, budget);
    return budget;
  };
}

function createRequestBudget({
  clock,
  everyone,
  rate,
}: {
  clock: Clock;
  everyone: Limiter;
  rate: OperatorRate;
}): RequestBudget {
  const own = createLimiter(rate.concurrency);
  const bucket: TokenBucket = createTokenBucket({ clock, perSecond: () => rate.requestsPerSecond });
  let pausedUntilMs = 0;

  async function turn(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const waitMs = pausedUntilMs - clock.monotonicMs();
      if (waitMs <= 0) break;
      await delay(clock, waitMs, signal);
    }
    await bucket.take(signal);
    signal.throwIfAborted();
  }

  return {
    run: (signal, send) =>
      own(async () => {
        await turn(signal);
        return everyone(() => {
          signal.throwIfAborted();
          return send();
        });
      }),
    pause(delayMs) {
      pausedUntilMs = Math.max(pausedUntilMs, clock.monotonicMs() + delayMs);
    },
  };
}
