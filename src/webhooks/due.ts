import { and, asc, eq, gt, inArray, lte, sql } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import { events } from "../events/tables.ts";
import type { Instant } from "../lib/clock.ts";
import type { Endpoint } from "./endpoint-store.ts";
import { deliveries, webhookEndpoints } from "./tables.ts";

/** A delivery whose next attempt is due. */
export interface DueDelivery {
  seq: number;
  eventSeq: number;
  attempts: number;
}

/**
 * What waits, read by way of the index on (endpoint, due time) of pending deliveries: each of these looks at
 * the rows that it answers with and no others, however many wait.
 */
export interface DueDeliveries {
  /** Enabled endpoints, each with the time at which its first delivery is due. */
  endpoints(): { endpoint: Endpoint; nextDueAt: Instant | null }[];
  /** Due now, the longest overdue first. */
  next(endpointSeq: number, now: Instant, limit: number): DueDelivery[];
  /** When the first one after `now` is due. */
  nextDueAfter(endpointSeq: number, now: Instant): Instant | null;
  /**
   * Brings forward what is due after `latest`, later than any schedule says: the clock was set back since.
   * @returns how many
   */
  clamp(latest: Instant): number;
  event(eventSeq: number): { id: string; body: string } | undefined;
}

export function createDueDeliveries({ database }: { database: Database }): DueDeliveries {
  const { query } = database;
  const endpoint = sql.placeholder("endpointSeq");
  const pending = and(eq(deliveries.endpointSeq, endpoint), sql`${deliveries.status} = 'pending'`);
  const enabled = query.select().from(webhookEndpoints).where(eq(webhookEndpoints.enabled, true)).prepare();
  const first = query
    .select({ at: deliveries.nextAttemptAt })
    .from(deliveries)
    .where(and(pending, gt(deliveries.nextAttemptAt, sql.placeholder("now"))))
    .orderBy(asc(deliveries.nextAttemptAt))
    .limit(1)
    .prepare();
  const due = query
    .select({ seq: deliveries.seq, eventSeq: deliveries.eventSeq, attempts: deliveries.attempts })
    .from(deliveries)
    .where(and(pending, lte(deliveries.nextAttemptAt, sql.placeholder("now"))))
    .orderBy(asc(deliveries.nextAttemptAt), asc(deliveries.seq))
    .limit(sql.placeholder("limit"))
    .prepare();
  const event = query
    .select({ id: events.id, body: events.body })
    .from(events)
    .where(eq(events.seq, sql.placeholder("seq")))
    .prepare();

  // Endpoint by endpoint, for that is how the index begins.
  const clamp = query
    .update(deliveries)
    .set({ nextAttemptAt: sql`${sql.placeholder("latest")}` })
    .where(
      and(
        inArray(deliveries.endpointSeq, query.select({ seq: webhookEndpoints.seq }).from(webhookEndpoints)),
        sql`${deliveries.status} = 'pending'`,
        gt(deliveries.nextAttemptAt, sql.placeholder("latest")),
      ),
    )
    .returning({ seq: deliveries.seq })
    .prepare();

  const nextDueAfter = (endpointSeq: number, now: Instant) => first.get({ endpointSeq, now })?.at ?? null;
  return {
    endpoints: () => enabled.all().map((row) => ({ endpoint: row, nextDueAt: nextDueAfter(row.seq, 0) })),
    next: (endpointSeq, now, limit) => due.all({ endpointSeq, now, limit }),
    nextDueAfter,
    clamp: (latest) => clamp.all({ latest }).length,
    event: (seq) => event.get({ seq }),
  };
}
