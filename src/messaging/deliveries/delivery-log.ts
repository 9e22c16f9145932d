import { and, asc, count, desc, eq, inArray, lt, or, sql, type SQL } from "drizzle-orm";
import type { Database } from "../../platform/database/database.ts";
import { columnsOf } from "../../platform/database/statement.ts";
import { events, threatOfEvent } from "../../threats/events/tables.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { deliveryStatuses, type DeliveryStatus } from "../../platform/vocabulary/channels.ts";
import type { RecordedEventType } from "../../platform/vocabulary/events.ts";
import { recipientState } from "./rules/recipient-state.ts";
import { deliveries, deliveryAttempts, recipients } from "./store/tables.ts";

/** One event for one recipient. */
export interface Delivery {
  id: string;
  eventId: string;
  eventType: RecordedEventType;
  recipientId: string;
  recipientName: string;
  /** Kind of the recipient's channel. */
  channel: string;
  status: DeliveryStatus;
  /** Attempts since the delivery was created or last redelivered. */
  attempts: number;
  /** Time of the next attempt; null once the delivery succeeded or failed, or while the recipient is disabled. */
  nextAttemptAt: Instant | null;
  createdAt: Instant;
  completedAt: Instant | null;
  /** The last attempt, also one before the delivery was sent again; null if there was none. */
  last: LastAttempt | null;
}

export type LastAttempt = Pick<Attempt, "durationMs" | "statusCode" | "failure" | "error">;

export type Attempt = Omit<typeof deliveryAttempts.$inferSelect, "seq" | "deliverySeq">;

export interface DeliveryFilter {
  /** Identifier or name. */
  recipient?: string;
  /** Kinds of channels: only deliveries to their recipients. */
  channels?: readonly string[];
  /** Identifier. */
  event?: string;
  /** Identifier of the threat that the event is about. */
  threat?: string;
  status?: DeliveryStatus;
  /** Identifier of a delivery: only older deliveries, for the next page. */
  before?: string;
}

/** When each event was sent to whom, what came back, and what happens next. */
export type DeliveryLog = ReturnType<typeof createDeliveryLog>;

const deliveriesListedMax = 1_000;
/** Stays below the maximum number of SELECTs that SQLite joins by UNION (500). */
const pairsMax = 200;

/** Sequence number of the last attempt of a delivery. */
const lastAttempt = sql`(select max(seq) from delivery_attempts as last where last.delivery_seq = ${deliveries.seq})`;

function createSelect({ query }: Pick<Database, "query">) {
  return (where: SQL | undefined, limit: number): Delivery[] =>
    query
      .select({
        id: deliveries.id,
        eventId: events.id,
        eventType: events.type,
        recipientId: recipients.id,
        recipientName: recipients.name,
        recipientEnabled: recipients.enabled,
        ...columnsOf(recipients, "nextProbeAt channel"),
        ...columnsOf(deliveries, "status attempts nextAttemptAt createdAt completedAt"),
        last: columnsOf(deliveryAttempts, "durationMs statusCode failure error"),
      })
      .from(deliveries)
      .innerJoin(events, eq(events.seq, deliveries.eventSeq))
      .innerJoin(recipients, eq(recipients.seq, deliveries.recipientSeq))
      .leftJoin(deliveryAttempts, sql`${deliveryAttempts.seq} = ${lastAttempt}`)
      .where(where)
      .orderBy(desc(deliveries.seq))
      .limit(limit)
      .all()
      .map(({ recipientEnabled, nextProbeAt, ...delivery }) => {
        if (!recipientEnabled) return { ...delivery, nextAttemptAt: null };
        // Held deliveries are sent once a probe succeeds.
        return delivery.nextAttemptAt === null || nextProbeAt === null
          ? delivery
          : { ...delivery, nextAttemptAt: nextProbeAt };
      });
}

export function createDeliveryLog({ database }: { database: Database }) {
  const { query } = database;
  const select = createSelect(database);

  return {
    /** Returns at most `limit` deliveries (and never more than 1,000), newest first. */
    list(filter: DeliveryFilter, limit: number): Delivery[] {
      const rows = Math.min(limit, deliveriesListedMax);
      const where = conditions(query, filter, rows);
      return where === "none" ? [] : select(where, rows);
    },

    get: (id: string): Delivery | undefined => select(eq(deliveries.id, id), 1)[0],

    /** Returns the body of the delivery's event, as it is sent. */
    body: (id: string) =>
      query
        .select({ body: events.body })
        .from(events)
        .innerJoin(deliveries, eq(deliveries.eventSeq, events.seq))
        .where(eq(deliveries.id, id))
        .get()?.body,

    /** Returns all attempts of a delivery, oldest first. */
    attempts(id: string): Attempt[] {
      const rows = query
        .select()
        .from(deliveryAttempts)
        .where(eq(deliveryAttempts.deliverySeq, seqOf(query, id) ?? 0))
        .orderBy(asc(deliveryAttempts.seq))
        .all();
      return rows.map(({ seq: _seq, deliverySeq: _deliverySeq, ...attempt }) => attempt);
    },

    /** Returns the state of each recipient, with the code of its last failure, sorted by name. */
    states: () =>
      query
        .select()
        .from(recipients)
        .orderBy(asc(recipients.name))
        .all()
        .map((recipient) => ({
          recipient: recipient.name,
          state: recipientState(recipient),
          failure: recipient.lastFailure?.failure ?? null,
        })),

    /** Counts the pending deliveries to a recipient (its id), at most up to `max`. */
    queued: (recipient: string, max: number) => countQueued(query, recipient, max),
  };
}

function countQueued(query: Database["query"], recipient: string, max: number): number {
  const pending = query
    .select({ seq: deliveries.seq })
    .from(deliveries)
    .innerJoin(recipients, eq(recipients.seq, deliveries.recipientSeq))
    .where(and(eq(recipients.id, recipient), eq(deliveries.status, "pending")))
    .limit(max)
    .as("pending");
  return query.select({ n: count() }).from(pending).get()!.n;
}

type Query = Database["query"];

function seqOf(query: Query, id: string): number | undefined {
  return query.select({ seq: deliveries.seq }).from(deliveries).where(eq(deliveries.id, id)).get()?.seq;
}

/**
 * Returns the filter as a condition on deliveries, or "none" if nothing can match. Names and identifiers are
 * resolved to sequence numbers first: a condition on those uses an index, one on joined tables would not.
 */
function conditions(
  query: Query,
  { recipient, channels, event, threat, status, before }: DeliveryFilter,
  limit: number,
): SQL | undefined | "none" {
  const all: (SQL | undefined)[] = [];
  const below = before === undefined ? undefined : (seqOf(query, before) ?? 0);
  const page = { below, limit };
  const isAboutEvents = event !== undefined || threat !== undefined;
  const isNarrowed = recipient !== undefined || channels !== undefined;
  if (isNarrowed || status !== undefined) {
    const wanted = recipientsOf(query, { recipient, channels });
    const seqs = wanted
      .limit(pairsMax + 1)
      .all()
      .map(({ seq }) => seq);
    if (isNarrowed && seqs.length === 0) return "none";
    // Without the index on recipient and status, rare deliveries would be searched for among all of them.
    const withStatus = status === undefined ? deliveryStatuses : [status];
    const pairs = seqs.flatMap((seq) => withStatus.map((one) => [seq, one] as const));
    if (!isAboutEvents && pairs.length > 0 && pairs.length <= pairsMax)
      all.push(inArray(deliveries.seq, newest(query, pairs, page)));
    else if (isNarrowed)
      all.push(inArray(deliveries.recipientSeq, recipientsOf(query, { recipient, channels })));
  }
  if (event !== undefined) {
    const row = query.select({ seq: events.seq }).from(events).where(eq(events.id, event)).get();
    if (row === undefined) return "none";
    all.push(eq(deliveries.eventSeq, row.seq));
  }
  if (threat !== undefined)
    all.push(sql`${deliveries.eventSeq} in (select seq from ${events} where ${threatOfEvent} = ${threat})`);
  if (below !== undefined) all.push(lt(deliveries.seq, below));
  if (status !== undefined) all.push(eq(deliveries.status, status));
  return and(...all);
}

/** Selects the sequence numbers of recipients. */
function recipientsOf(query: Query, { recipient, channels }: Pick<DeliveryFilter, "recipient" | "channels">) {
  const hasName =
    recipient === undefined ? undefined : or(eq(recipients.id, recipient), eq(recipients.name, recipient));
  const isOfChannel = channels === undefined ? undefined : inArray(recipients.channel, [...channels]);
  return query.select({ seq: recipients.seq }).from(recipients).where(and(hasName, isOfChannel));
}

/**
 * Selects the newest deliveries of each pair of recipient and status. The index holds the deliveries of a pair
 * in this order, so only one page of each is sorted.
 */
function newest(
  query: Query,
  pairs: readonly (readonly [recipientSeq: number, status: DeliveryStatus])[],
  { below, limit }: { below: number | undefined; limit: number },
): SQL {
  const parts = pairs.map(([recipientSeq, status]) => {
    const newestOfPair = query
      .select({ seq: deliveries.seq })
      .from(deliveries)
      .where(
        and(
          eq(deliveries.recipientSeq, recipientSeq),
          eq(deliveries.status, status),
          below === undefined ? undefined : lt(deliveries.seq, below),
        ),
      )
      .orderBy(desc(deliveries.seq))
      .limit(limit);
    return sql`select * from ${newestOfPair}`;
  });
  return sql`(${sql.join(parts, sql` union all `)})`;
}
