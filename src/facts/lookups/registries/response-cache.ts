import type { Clock } from "../../../platform/lib/clock.ts";

/**
 * Caches responses by key, for a limited time and up to a limited number. Concurrent requests for the same key share
 * one response.
 *
 * @param keepMs returns how long a response is valid; 0 for one that is not cached.
 */
export function createResponseCache<T>({
  clock,
  entriesMax,
  keepMs,
}: {
  clock: Clock;
  entriesMax: number;
  keepMs: (response: T) => number;
}): (key: string, request: () => Promise<T>) => Promise<T> {
  // In insertion order: the oldest entry is evicted first.
  const cached = new Map<string, { response: T; untilMs: number }>();
  const inProgress = new Map<string, Promise<T>>();

  return (key, request) => {
    const known = cached.get(key);
    if (known !== undefined && known.untilMs > clock.monotonicMs()) return Promise.resolve(known.response);
    cached.delete(key);
    const running = inProgress.get(key);
    if (running !== undefined) return running;
    const requested = request()
      .then((response) => {
        const validMs = keepMs(response);
        if (validMs > 0) {
          cached.set(key, { response, untilMs: clock.monotonicMs() + validMs });
          if (cached.size > entriesMax) cached.delete(cached.keys().next().value!);
        }
        return response;
      })
      .finally(() => inProgress.delete(key));
    inProgress.set(key, requested);
    return requested;
  };
}
