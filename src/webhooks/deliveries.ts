import { and, asc, desc, eq, inArray, lt, sql, type SQL } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import { events, threatOfEvent } from "../events/tables.ts";
import type { EventType } from "../vocabulary/events.ts";
import type { Clock, Instant } from "../lib/clock.ts";
import { notFound } from "../lib/errors.ts";
import { visible } from "../lib/safe-text.ts";
import { deliveries, deliveryAttempts, webhookEndpoints } from "./tables.ts";
import { deliveryStatuses, type DeliveryStatus } from "../vocabulary/deliveries.ts";

/** One event on its way to one endpoint. */
export interface Delivery {
  id: string;
  eventId: string;
  eventType: EventType;
  endpointId: string;
  endpointName: string;
  status: DeliveryStatus;
  /** Attempts since it was made or last asked for again. */
  attempts: number;
  /** When the next attempt is due; null when it is over, or while the endpoint is disabled. */
  nextAttemptAt: Instant | null;
  createdAt: Instant;
  completedAt: Instant | null;
}

export type Attempt = Omit<typeof deliveryAttempts.$inferSelect, "seq" | "deliverySeq">;

export interface DeliveryFilter {
  /** Identifiers or, for the endpoint, a name. */
  endpoint?: string;
  event?: string;
  /** Only those of events that tell of this threat. */
  threat?: string;
  status?: DeliveryStatus;
  /** Only those older than this delivery: for the next page. */
  before?: string;
}

/** The delivery log: for any event, when it was sent where, what came back, and what happens next. */
export interface Deliveries {
  /** Newest first. */
  list(filter: DeliveryFilter, limit: number): Delivery[];
  get(id: string): Delivery | undefined;
  /** The body of its event, as it is sent. */
  body(id: string): string | undefined;
  /** All attempts of a delivery, oldest first. */
  attempts(id: string): Attempt[];
  /** Sends a delivery again, with the whole schedule of retries before it. @throws PublicError `not_found` */
  redeliver(id: string): Delivery;
  /** How many there are of each endpoint and status. */
  totals(): { endpoint: string; status: DeliveryStatus; total: number }[];
}

const deliveriesListedMax = 1_000;
/** SQLite joins 500 selects at most. */
const pairsMax = 200;

export function createDeliveries({
  database,
  clock,
  onDue,
}: {
  database: Database;
  clock: Clock;
  /** Told when deliveries became due otherwise than by an event. */
  onDue: () => void;
}): Deliveries {
  const { query } = database;
  const select = (where: SQL | undefined, limit: number): Delivery[] =>
    query
      .select({
        id: deliveries.id,
        eventId: events.id,
        eventType: events.type,
        endpointId: webhookEndpoints.id,
        endpointName: webhookEndpoints.name,
        endpointEnabled: webhookEndpoints.enabled,
        status: deliveries.status,
        attempts: deliveries.attempts,
        nextAttemptAt: deliveries.nextAttemptAt,
        createdAt: deliveries.createdAt,
        completedAt: deliveries.completedAt,
      })
      .from(deliveries)
      .innerJoin(events, eq(events.seq, deliveries.eventSeq))
      .innerJoin(webhookEndpoints, eq(webhookEndpoints.seq, deliveries.endpointSeq))
      .where(where)
      .orderBy(desc(deliveries.seq))
      .limit(limit)
      .all()
      .map(({ endpointEnabled, ...delivery }) =>
        endpointEnabled ? delivery : Object.assign(delivery, { nextAttemptAt: null }),
      );

  const seqOf = (id: string) =>
    query.select({ seq: deliveries.seq }).from(deliveries).where(eq(deliveries.id, id)).get()?.seq;

  const get = (id: string) => select(eq(deliveries.id, id), 1)[0];

  /** Of each endpoint and status the newest: the index has them in this order, and need not be sorted as a whole. */
  function newest(
    pairs: readonly (readonly [endpointSeq: number, status: DeliveryStatus])[],
    below: number | undefined,
    limit: number,
  ): SQL {
    const parts = pairs.map(([endpointSeq, status]) => {
      const newestOfStatus = query
        .select({ seq: deliveries.seq })
        .from(deliveries)
        .where(
          and(
            eq(deliveries.endpointSeq, endpointSeq),
            eq(deliveries.status, status),
            below === undefined ? undefined : lt(deliveries.seq, below),
          ),
        )
        .orderBy(desc(deliveries.seq))
        .limit(limit);
      return sql`select * from ${newestOfStatus}`;
    });
    return sql`(${sql.join(parts, sql` union all `)})`;
  }

  /** Sequence numbers first: a condition on them uses the index, one on joined tables would not. */
  function conditions(
    { endpoint, event, threat, status, before }: DeliveryFilter,
    limit: number,
  ): SQL | undefined | "none" {
    const all: (SQL | undefined)[] = [];
    const below = before === undefined ? undefined : (seqOf(before) ?? 0);
    if (endpoint !== undefined) {
      const byKey = sql`${webhookEndpoints.id} = ${endpoint} or ${webhookEndpoints.name} = ${endpoint}`;
      const row = query.select({ seq: webhookEndpoints.seq }).from(webhookEndpoints).where(byKey).get();
      if (row === undefined) return "none";
      const alone = status === undefined && event === undefined && threat === undefined;
      all.push(
        alone
          ? inArray(
              deliveries.seq,
              newest(
                deliveryStatuses.map((one) => [row.seq, one]),
                below,
                limit,
              ),
            )
          : eq(deliveries.endpointSeq, row.seq),
      );
    } else if (status !== undefined && event === undefined && threat === undefined) {
      // One that is seldom would be looked for among all deliveries there are.
      const rows = query
        .select({ seq: webhookEndpoints.seq })
        .from(webhookEndpoints)
        .limit(pairsMax + 1)
        .all();
      const pairs = rows.map(({ seq }) => [seq, status] as const);
      if (pairs.length > 0 && pairs.length <= pairsMax)
        all.push(inArray(deliveries.seq, newest(pairs, below, limit)));
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

  return {
    list(filter, limit) {
      const rows = Math.min(limit, deliveriesListedMax);
      const where = conditions(filter, rows);
      return where === "none" ? [] : select(where, rows);
    },
    get,

    body: (id) =>
      query
        .select({ body: events.body })
        .from(events)
        .innerJoin(deliveries, eq(deliveries.eventSeq, events.seq))
        .where(eq(deliveries.id, id))
        .get()?.body,

    attempts(id) {
      const rows = query
        .select()
        .from(deliveryAttempts)
        .where(eq(deliveryAttempts.deliverySeq, seqOf(id) ?? 0))
        .orderBy(asc(deliveryAttempts.seq))
        .all();
      return rows.map(({ seq: _seq, deliverySeq: _deliverySeq, ...attempt }) => attempt);
    },

    totals() {
      // From the index of endpoint and status alone; the names come in afterwards.
      const counted = query
        .select({
          seq: deliveries.endpointSeq,
          status: deliveries.status,
          total: sql<number>`count(*)`.as("total"),
        })
        .from(deliveries)
        .groupBy(deliveries.endpointSeq, deliveries.status)
        .as("counted");
      return query
        .select({ endpoint: webhookEndpoints.name, status: counted.status, total: counted.total })
        .from(counted)
        .innerJoin(webhookEndpoints, eq(webhookEndpoints.seq, counted.seq))
        .orderBy(asc(webhookEndpoints.name), asc(counted.status))
        .all();
    },

    redeliver: (id) =>
      database.transaction(() => {
        const seq = seqOf(id);
        if (seq === undefined) throw notFound(`there is no delivery ${visible(id, 100)}`);
        query
          .update(deliveries)
          .set({ status: "pending", attempts: 0, nextAttemptAt: clock.now(), completedAt: null })
          .where(eq(deliveries.seq, seq))
          .run();
        database.afterCommit(onDue);
        return get(id)!;
      }),
  };
}
