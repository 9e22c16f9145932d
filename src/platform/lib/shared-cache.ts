import { BoundedMap } from "./bounded-map.ts";
import type { Clock } from "./clock.ts";

/**
 * Caches results by key, for a limited time and up to a limited number. Concurrent requests for the same key share one
 * result.
 * @param keepMs returns how long a result is valid; 0 for one that is not cached.
 */
export function createSharedCache<T>({
  clock,
  entriesMax,
  keepMs,
}: {
  clock: Pick<Clock, "monotonicMs">;
  entriesMax: number;
  keepMs: (result: T) => number;
}): (key: string, request: () => Promise<T>) => Promise<T> {
  const cached = new BoundedMap<string, { result: T; untilMs: number }>(entriesMax);
  const running = new Map<string, Promise<T>>();
  return async (key, request) => {
    const known = cached.get(key);
    if (known !== undefined && known.untilMs > clock.monotonicMs()) return known.result;
    cached.delete(key);
    const start = async () => {
      try {
        const result = await request();
        const validMs = keepMs(result);
        if (validMs > 0) cached.set(key, { result, untilMs: clock.monotonicMs() + validMs });
        return result;
      } finally {
        running.delete(key);
      }
    };
    return running.getOrInsertComputed(key, start);
  };
}
