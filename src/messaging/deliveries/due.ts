import { and, asc, eq, gt, lte, sql } from "drizzle-orm";
import type { Database } from "../../platform/database/database.ts";
import { countValue, hasValue, statement, value } from "../../platform/database/statement.ts";
import { BoundedMap } from "../../platform/lib/bounded-map.ts";
import { events } from "../../threats/events/tables.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import type { Message } from "./channel.ts";
import type { Recipient } from "./recipients.ts";
import { deliveries, recipients } from "./store/tables.ts";

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
export type DueDeliveries = ReturnType<typeof createDueDeliveries>;

/** Pending deliveries whose due time is checked at once, in 1 to 2 ms. */
const checkedPerStep = 1_000;
/** Pending deliveries whose due time is moved at once, in 2 to 4 ms. */
const movedPerStep = 250;
/** An event is sent to all its recipients at about the same time. */
const messagesKept = 256;

interface DueDeliveriesDependencies {
  database: Database;
  /** Returns the attempts per second for recipients without their own setting; null: no limit. */
  defaultRate: (channel: string) => number | null;
}

export function createDueDeliveries({ database, defaultRate }: DueDeliveriesDependencies) {
  const { due, enabled, first, message, one } = prepareReads(database);
  const messages = new BoundedMap<number, Message>(messagesKept);
  const { bringForward, everyone, moveBy, moveFailures, walk } = prepareRepairs(database);

  /**
   * Reads all pending deliveries, and changes the due times of those that `isWrong` returns.
   * @returns the number of deliveries
   */
  async function repair(
    isWrong: (delivery: PendingDelivery) => boolean,
    change: (wrong: readonly PendingDelivery[]) => number,
    { perStep, isStopping }: { perStep: number; isStopping: () => boolean },
  ): Promise<number> {
    let changed = 0;
    for (const { seq: recipientSeq } of everyone.all())
      for (let after: number | undefined = 0; after !== undefined && !isStopping();) {
        const startedAt = performance.now();
        const rows = walk.all({ recipientSeq, after, limit: perStep });
        const wrong = rows.filter(isWrong);
        if (wrong.length > 0) changed += await database.write(() => change(wrong), { patient: true });
        after = rows.length < perStep ? undefined : rows.at(-1)!.seq;
        // Requests and other writes get at least half of the time: there may be millions of deliveries.
        if (after !== undefined) await Bun.sleep(performance.now() - startedAt);
      }
    return changed;
  }

  const withRate = (recipient: Recipient): Recipient => ({
    ...recipient,
    ratePerSecond: recipient.ratePerSecond ?? defaultRate(recipient.channel),
  });
  /** Returns the time at which the first delivery after `now` is due. */
  const nextDueAfter = (recipientSeq: number, now: Instant) => first.get({ recipientSeq, now })?.at ?? null;
  return {
    /** Returns the enabled recipients, each with the time at which its first delivery is due. */
    recipients: (): { recipient: Recipient; nextDueAt: Instant | null }[] =>
      enabled.all().map((recipient) => ({
        recipient: withRate(recipient),
        nextDueAt: nextDueAfter(recipient.seq, 0),
      })),

    /** Returns a recipient, or undefined if it is not enabled. */
    recipient(seq: number): Recipient | undefined {
      const recipient = one.get({ seq });
      return recipient === undefined ? undefined : withRate(recipient);
    },

    /** Returns a version that changes with every commit of another process. Costs nothing while there is none. */
    version: database.foreignVersion,

    /** Returns the deliveries that are due, the longest overdue first. */
    next: (recipientSeq: number, now: Instant, limit: number): DueDelivery[] =>
      due.all({ recipientSeq, now, limit }),
    nextDueAfter,

    /** Moves the starts of failure by `jumpMs`: the clock was set. */
    moveFailures: (jumpMs: number): Promise<void> =>
      database.write(() => void moveFailures.run({ jumpMs }), { patient: true }),

    /**
     * Moves the due times after `now` by `jumpMs`: the clock was set back. Reads all pending deliveries, in short
     * steps. An attempt that is recorded at the same time may be repeated too early. If this fails, some due times have been
     * moved: do not repeat it, but call `clamp`.
     * @returns the number of deliveries
     */
    moveBack: (jumpMs: number, { now, isStopping }: { now: Instant; isStopping: () => boolean }) =>
      repair(
        ({ at }) => at !== null && at > now,
        (later) => moveBy(later, jumpMs, now),
        { perStep: movedPerStep, isStopping },
      ),

    /**
     * Brings deliveries forward that are due later than the retry schedule allows: the clock was set back, and their
     * due times were not moved. Reads all pending deliveries, in short steps.
     * @param latest returns the latest due time after this number of attempts
     * @returns the number of deliveries
     */
    clamp: (latest: (attempts: number) => Instant, { isStopping }: { isStopping: () => boolean }) =>
      repair(
        ({ attempts, at }) => at !== null && at > latest(attempts),
        (late) => bringForward(late, latest),
        { perStep: checkedPerStep, isStopping },
      ),
    message(seq: number) {
      const known = messages.get(seq) ?? message.get({ seq });
      if (known !== undefined && !messages.has(seq)) messages.set(seq, known);
      return known;
    },
  };
}

type PendingDelivery = Pick<DueDelivery, "seq" | "attempts"> & { at: Instant | null };

function prepareReads(database: Database) {
  const pending = and(hasValue(deliveries.recipientSeq), sql`${deliveries.status} = 'pending'`);
  const enabled = statement(database, (query) =>
    query.select().from(recipients).where(eq(recipients.enabled, true)),
  );
  const one = statement(database, (query) =>
    query
      .select()
      .from(recipients)
      .where(and(eq(recipients.enabled, true), hasValue(recipients.seq))),
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
    query.select({ id: events.id, body: events.body }).from(events).where(hasValue(events.seq)),
  );
  return { due, enabled, first, message, one };
}

function prepareRepairs(database: Database) {
  const everyone = statement(database, (query) => query.select({ seq: recipients.seq }).from(recipients));
  const walk = statement(database, (query) =>
    query
      .select({ seq: deliveries.seq, attempts: deliveries.attempts, at: deliveries.nextAttemptAt })
      .from(deliveries)
      .where(
        and(
          hasValue(deliveries.recipientSeq),
          eq(deliveries.status, "pending"),
          gt(deliveries.seq, value(deliveries.seq, "after")),
        ),
      )
      .orderBy(asc(deliveries.seq))
      .limit(countValue("limit")),
  );
  const moveOne = statement(database, (query) =>
    query
      .update(deliveries)
      .set({ nextAttemptAt: value(deliveries.nextAttemptAt, "latest") })
      .where(
        and(
          hasValue(deliveries.seq),
          sql`${deliveries.status} = 'pending'`,
          gt(deliveries.nextAttemptAt, value(deliveries.nextAttemptAt, "latest")),
        ),
      ),
  );
  const bringForward = (late: readonly PendingDelivery[], latest: (attempts: number) => Instant) =>
    late.reduce((count, { seq, attempts }) => count + moveOne.run({ seq, latest: latest(attempts) }), 0);
  const moveOneBy = database.prepare<unknown, [{ seq: number; jumpMs: number; now: Instant }]>(
    `update deliveries set next_attempt_at = next_attempt_at + $jumpMs
     where seq = $seq and status = 'pending' and next_attempt_at > $now`,
  );
  const moveBy = (later: readonly PendingDelivery[], jumpMs: number, now: Instant) =>
    later.reduce((count, { seq }) => count + moveOneBy.run({ seq, jumpMs, now }), 0);
  const moveFailures = database.prepare<unknown, [{ jumpMs: number }]>(
    `update recipients set failing_since = failing_since + $jumpMs, next_probe_at = next_probe_at + $jumpMs
     where failing_since is not null`,
  );
  return { bringForward, everyone, moveBy, moveFailures, walk };
}
