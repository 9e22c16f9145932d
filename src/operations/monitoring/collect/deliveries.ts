import type { Collector } from "../metrics/metrics.ts";
import type { Monitored } from "./services.ts";

/** Collects deliveries, and messages to people. */
export function deliveryCollector({ clock, messaging }: Monitored<"clock" | "messaging">): Collector {
  const { attemptTotals, log, oldestPending, totals } = messaging.deliveries;
  return () => {
    const now = clock.now();
    const { queued, composed } = messaging.notifications.totals();
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
