import { and, asc, gte, lt, sql } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import { hasValue, statement, value, valuesOf } from "../../../platform/database/statement.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { deliveryHours } from "./tables.ts";

/** Counts attempts by recipient and hour. */
export type DeliveryHours = ReturnType<typeof createDeliveryHours>;

/** Attempts at a recipient in the last 24 hours. */
export type DayOfDeliveries = ReturnType<DeliveryHours["lastDay"]>;

export interface CountedAttempt {
  recipientSeq: number;
  result: { startedAt: Instant; durationMs: number; failure: string | null };
}

const hourMs = 3_600_000;
const hoursShown = 24;
/** Longer than the chart, so that it is complete after the clock was set back. */
const keptMs = 72 * hourMs;

export function createDeliveryHours(database: Database) {
  const count = statement(database, (query) =>
    query
      .insert(deliveryHours)
      .values(valuesOf(deliveryHours, "recipientSeq", "hour", "delivered", "failed", "deliveredMs"))
      .onConflictDoUpdate({
        target: [deliveryHours.recipientSeq, deliveryHours.hour],
        set: {
          delivered: sql`${deliveryHours.delivered} + excluded.delivered`,
          failed: sql`${deliveryHours.failed} + excluded.failed`,
          deliveredMs: sql`${deliveryHours.deliveredMs} + excluded.delivered_ms`,
        },
      }),
  );
  const since = statement(database, (query) =>
    query
      .select()
      .from(deliveryHours)
      .where(and(hasValue(deliveryHours.recipientSeq), gte(deliveryHours.hour, value(deliveryHours.hour))))
      .orderBy(asc(deliveryHours.hour)),
  );
  const remove = statement(database, (query) =>
    query.delete(deliveryHours).where(lt(deliveryHours.hour, value(deliveryHours.hour))),
  );

  return {
    /** Counts attempts that ended, in the caller's transaction. */
    add(attempts: readonly CountedAttempt[]) {
      const groups = Map.groupBy(
        attempts,
        ({ recipientSeq, result }) => `${recipientSeq} ${hourOf(result.startedAt)}`,
      );
      for (const group of groups.values()) {
        const { recipientSeq, result } = group[0]!;
        const delivered = group.filter((one) => one.result.failure === null);
        count.run({
          recipientSeq,
          hour: hourOf(result.startedAt),
          delivered: delivered.length,
          failed: group.length - delivered.length,
          deliveredMs: delivered.reduce((sum, one) => sum + one.result.durationMs, 0),
        });
      }
    },

    lastDay(recipientSeq: number, now: Instant) {
      const first = hourOf(now) - (hoursShown - 1) * hourMs;
      const rows = new Map(since.all({ recipientSeq, hour: first }).map((row) => [row.hour, row]));
      const shown = Array.from({ length: hoursShown }, (_, index) => {
        const hour = first + index * hourMs;
        const { delivered = 0, failed = 0, deliveredMs = 0 } = rows.get(hour) ?? {};
        return { hour, delivered, failed, deliveredMs };
      });
      const sum = (of: (row: (typeof shown)[number]) => number) =>
        shown.reduce((total, row) => total + of(row), 0);
      const delivered = sum((row) => row.delivered);
      return {
        /** 24 hours, oldest first; the last one is the current hour. */
        hours: shown,
        delivered,
        failed: sum((row) => row.failed),
        /** Average duration of the attempts that succeeded; null if there was none. */
        averageMs: delivered === 0 ? null : Math.round(sum((row) => row.deliveredMs) / delivered),
      };
    },

    /** Deletes the hours that no chart shows any more, in the caller's transaction. */
    deleteOld: (now: Instant) => void remove.run({ hour: hourOf(now) - keptMs }),
  };
}

const hourOf = (at: Instant): Instant => Math.floor(at / hourMs) * hourMs;
