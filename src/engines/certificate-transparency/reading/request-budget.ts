import { delay, type Clock } from "../../../platform/lib/clock.ts";
import { createLimiter, type Limiter } from "../../../platform/lib/limiter.ts";
import { createTokenBucket } from "../../../platform/network/dns/token-bucket.ts";

/** Keeps the requests to each operator within its rate and concurrency, and all requests within a total. */
export type RequestBudget = ReturnType<typeof createRequestBudget>;

/** Maximum number of concurrent requests to all operators; with the size of a response, it bounds the memory. */
const concurrencyMax = 12;

/** Returns a function that returns the budget of an operator; its logs share one. */
export function createRequestBudgets(clock: Clock) {
  const everyone = createLimiter(concurrencyMax);
  const budgets = new Map<string, RequestBudget>();
  return (operator: string, rate: OperatorRate): RequestBudget =>
    budgets.getOrInsertComputed(operator, () => createRequestBudget(clock, everyone, rate));
}

function createRequestBudget(clock: Clock, everyone: Limiter, rate: OperatorRate) {
  const own = createLimiter(rate.concurrency);
  const bucket = createTokenBucket({ clock, perSecond: () => rate.requestsPerSecond });
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
    /** Sends a request when it is the operator's turn. Rejects with the reason of `signal` if it aborts first. */
    run: <T>(signal: AbortSignal, send: () => Promise<T>): Promise<T> =>
      own(async () => {
        await turn(signal);
        return everyone(() => {
          signal.throwIfAborted();
          return send();
        });
      }),

    /** Sends nothing to the operator for this long, because it asked for a pause. */
    pause(delayMs: number) {
      pausedUntilMs = Math.max(pausedUntilMs, clock.monotonicMs() + delayMs);
    },
  };
}

/** Requests that phishwatch sends to the logs of one operator, all logs together. */
interface OperatorRate {
  requestsPerSecond: number;
  /** Maximum number of concurrent requests. */
  concurrency: number;
}

/**
 * Rates that the operators tolerate. Where a limit is known, a half or less of it is used, so that a second monitor
 * behind the same address still has room.
 */
const knownRates: Readonly<Record<string, OperatorRate>> = {
  // Serves about 32 entries in a response, so that keeping up takes more requests than elsewhere.
  Google: { requestsPerSecond: 10, concurrency: 4 },
  Cloudflare: { requestsPerSecond: 4, concurrency: 4 },
  // 0.15 to 0.18 requests per second for each address in October 2025 (ct-policy, "lTqtb4WHsqo").
  DigiCert: { requestsPerSecond: 0.15, concurrency: 1 },
  // 30 requests per second for each address, and 125 for all (ct-policy, February 2025).
  Sectigo: { requestsPerSecond: 10, concurrency: 4 },
  // 8 requests per second in 2021; a response to get-entries takes up to 30 s.
  TrustAsia: { requestsPerSecond: 4, concurrency: 4 },
  // Static logs: every request is a file of 256 entries, which caches serve.
  "Let's Encrypt": { requestsPerSecond: 10, concurrency: 4 },
  Geomys: { requestsPerSecond: 10, concurrency: 4 },
  "IPng Networks": { requestsPerSecond: 5, concurrency: 4 },
};

const otherRate: OperatorRate = { requestsPerSecond: 2, concurrency: 2 };
/** For logs that the configuration declares, whose operator has agreed to be read. */
const extraRate: OperatorRate = { requestsPerSecond: 50, concurrency: 4 };

interface OperatorRateOptions {
  operator: string;
  isExtra: boolean;
  configured: readonly { operator: string; requestsPerSecond: number }[];
}

/** Returns the rate for an operator. `configured` entries replace the rate, not the concurrency. */
export function operatorRate({ operator, isExtra, configured }: OperatorRateOptions): OperatorRate {
  const known = isExtra ? extraRate : Object.hasOwn(knownRates, operator) ? knownRates[operator]! : otherRate;
  const own = configured.find((entry) => entry.operator.toLowerCase() === operator.toLowerCase());
  return own === undefined ? known : { ...known, requestsPerSecond: own.requestsPerSecond };
}

/** Operators whose RFC 6962 logs also serve data tiles, which take a hundredth of the time of get-entries. */
const operatorsWithTiles = ["TrustAsia"];

export function mayHaveDataTiles({ operator }: { operator: string }): boolean {
  return operatorsWithTiles.includes(operator);
}
