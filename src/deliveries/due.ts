import { and, asc, eq, gt, inArray, lte, sql } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import { countValue, statement, value } from "../database/statement.ts";
import { events } from "../events/tables.ts";
import type { Instant } from "../lib/clock.ts";
import type { Message } from "./channel.ts";
import type { Recipient } from "./recipients.ts";
import { deliveries, recipients } from "./tables.ts";

/** A delivery whose next attempt is due. */
export interface DueDelivery {
  seq: number;
  eventSeq: number;
  attempts: number;
}

/**
 * Pending deliveries, read through the index on (recipient, due time): each call reads only the rows that it
 * returns, however many are pending.
 */
export interface DueDeliveries {
  /** Returns the enabled recipients, each with the time at which its first delivery is due. */
  recipients(): { recipient: Recipient; nextDueAt: Instant | null }[];
  /** Returns the deliveries that are due, the longest overdue first. */
  next(recipientSeq: number, now: Instant, limit: number): DueDelivery[];
  /** Returns the time at which the first delivery after `now` is due. */
  nextDueAfter(recipientSeq: number, now: Instant): Instant | null;
  /**
   * Brings deliveries forward that are due after `latest`, which is later than the retry schedule allows:
   * the clock was set back.
   * @returns the number of deliveries
   */
  clamp(latest: Instant): Promise<number>;
  message(eventSeq: number): Message | undefined;
}

export function createDueDeliveries({ database }: { database: Database }): DueDeliveries {
  const pending = and(
    eq(deliveries.recipientSeq, value(deliveries.recipientSeq)),
    sql`${deliveries.status} = 'pending'`,
  );
  const enabled = statement(database, (query) =>
    query.select().from(recipients).where(eq(recipients.enabled, true)),
  );
  const first = statement(database, (query) =>
    query
      .select({ at: deliveries.nextAttemptAt })
      .from(deliveries)
      .where(and(pending, gt(deliveries.nextAttemptAt, value(deliveries.nextAttemptAt, "now"))))
      .orderBy(asc(deliveries.nextAttemptAt))
      .limit(1),
  );
  const due = statement(database, (query) =>
    query
      .select({ seq: deliveries.seq, eventSeq: deliveries.eventSeq, attempts: deliveries.attempts })
      .from(deliveries)
      .where(and(pending, lte(deliveries.nextAttemptAt, value(deliveries.nextAttemptAt, "now"))))
      .orderBy(asc(deliveries.nextAttemptAt), asc(deliveries.seq))
      .limit(countValue("limit")),
  );
  const message = statement(database, (query) =>
    query
      .select({ id: events.id, body: events.body })
      .from(events)
      .where(eq(events.seq, value(events.seq))),
  );

  // The index starts with the recipient, so a condition on the recipient is needed to use it.
  const clamp = statement(database, (query) =>
    query
      .update(deliveries)
      .set({ nextAttemptAt: value(deliveries.nextAttemptAt, "latest") })
      .where(
        and(
          inArray(deliveries.recipientSeq, query.select({ seq: recipients.seq }).from(recipients)),
          sql`${deliveries.status} = 'pending'`,
          gt(deliveries.nextAttemptAt, value(deliveries.nextAttemptAt, "latest")),
        ),
      )
      .returning({ seq: deliveries.seq }),
  );

  const nextDueAfter = (recipientSeq: number, now: Instant) => first.get({ recipientSeq, now })?.at ?? null;
  return {
    recipients: () =>
      enabled.all().map((recipient) => ({ recipient, nextDueAt: nextDueAfter(recipient.seq, 0) })),
    next: (recipientSeq, now, limit) => due.all({ recipientSeq, now, limit }),
    nextDueAfter,
    clamp: (latest) => database.write(() => clamp.all({ latest }).length, { patient: true }),
    message: (seq) => message.get({ seq }),
  };
}
