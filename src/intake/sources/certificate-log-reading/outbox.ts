import type { LogReport } from "./messages.ts";

/** Batches of one log that are not stored yet: the next one is prepared while one is stored. */
const batchesOfLogMax = 2;
/**
 * Batches of all logs that are not stored yet. A batch has at most about 1 MiB (see `place.ts`), so together they
 * have at most 16 MiB.
 */
const batchesMax = 16;

/** Bounds the batches that are in flight, over all logs. */
export type BatchSlots = ReturnType<typeof createBatchSlots>;

export function createBatchSlots() {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    /** Resolves when the caller has a slot, which it has to release in every case. */
    async take() {
      if (taken < batchesMax) {
        taken++;
        return;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      // The slot is passed on by `release`.
      await promise;
    },
    release() {
      const next = waiting.shift();
      if (next === undefined) taken--;
      else next();
    },
  };
}

/** Reports of one log on their way to the server's thread. */
export type Outbox = ReturnType<typeof createOutbox>;

interface OutboxDependencies {
  signal: AbortSignal;
  slots: BatchSlots;
  post: (report: LogReport) => void;
}

export function createOutbox({ signal, slots, post }: OutboxDependencies) {
  let unacknowledged = 0;
  let wake: (() => void) | undefined;
  signal.addEventListener("abort", () => wake?.(), { once: true });

  /** Resolves at the next acknowledgment, or when the signal aborts. Only one report waits at a time. */
  const roomAgain = () => new Promise<void>((resolve) => void (wake = resolve));

  return {
    /** Posts a report. Resolves when there is room for another one; rejects with the signal's reason. */
    async send(report: LogReport) {
      if (report.report !== "batch" && report.report !== "mismatch") {
        if (!signal.aborted) post(report);
        return;
      }
      signal.throwIfAborted();
      await slots.take();
      if (signal.aborted) slots.release();
      signal.throwIfAborted();
      unacknowledged++;
      post(report);
      if (unacknowledged >= batchesOfLogMax) await roomAgain();
      signal.throwIfAborted();
    },
    acknowledge() {
      if (unacknowledged === 0) return;
      unacknowledged--;
      slots.release();
      wake?.();
    },

    /** Releases everything that was never acknowledged. */
    close() {
      for (; unacknowledged > 0; unacknowledged--) slots.release();
    },
  };
}
