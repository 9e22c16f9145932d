import type { Clock, Instant } from "../../lib/clock.ts";

/**
 * Answers by key, for a while and up to a number. While an answer is under way, whoever else asks for the same
 * key waits for it.
 */
export function createAnswerCache<T>({
  clock,
  entriesMax,
  keepMs,
}: {
  clock: Clock;
  entriesMax: number;
  /** How long an answer holds; 0 for one that is not kept. */
  keepMs: (answer: T) => number;
}): (key: string, ask: () => Promise<T>) => Promise<T> {
  // In the order of being stored: the oldest goes first.
  const kept = new Map<string, { answer: T; until: Instant }>();
  const underWay = new Map<string, Promise<T>>();

  return (key, ask) => {
    const known = kept.get(key);
    if (known !== undefined && known.until > clock.now()) return Promise.resolve(known.answer);
    kept.delete(key);
    const running = underWay.get(key);
    if (running !== undefined) return running;
    const asked = ask()
      .then((answer) => {
        const forMs = keepMs(answer);
        if (forMs > 0) {
          kept.set(key, { answer, until: clock.now() + forMs });
          if (kept.size > entriesMax) kept.delete(kept.keys().next().value!);
        }
        return answer;
      })
      .finally(() => underWay.delete(key));
    underWay.set(key, asked);
    return asked;
  };
}
