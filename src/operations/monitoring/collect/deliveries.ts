import type { Deliveries } from "../../../messaging/deliveries/deliveries.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import type { Collector } from "../metrics/metrics.ts";

/** Collects deliveries, and messages to people. */
export function deliveryCollector({
  clock,
  deliveries: { attemptTotals, log, oldestPending, totals },
  messageTotals,
}: {
  clock: Pick<Clock, "now">;
  deliveries: Pick<Deliveries, "attemptTotals" | "log" | "oldestPending" | "totals">;
  /** Returns the changes that wait for a message to people, and the messages since the start. */
  messageTotals: () => { queued: number; composed: number };
}): Collector {
  return () => {
    const now = clock.now();
    const { queued, composed } = messageTotals();
    return {
      deliveries: totals().map(({ recipient, status, total }) => [{ recipient, status }, total]),
      attempts: attemptTotals().map(({ recipient, result, total }) => [{ recipient, result }, total]),
      oldestWaiting: oldestPending().map(({ recipient, createdAt }) => [
        { recipient },
        createdAt === null ? 0 : Math.max(0, now - createdAt) / 1000,
      ]),
      recipientState: log
        .states()
        .map(({ recipient, state, failure }) => [{ recipient, state, failure: failure ?? "" }, 1]),
      notificationsWaiting: queued,
      notifications: composed,
    };
  };
}
