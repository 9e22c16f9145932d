import { asc, eq, isNull, sql } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import { relaxedTransaction } from "../database/relaxed.ts";
import { placeholders } from "../database/placeholders.ts";
import { events } from "../events/tables.ts";
import type { EventType } from "../vocabulary/events.ts";
import type { Clock } from "../lib/clock.ts";
import type { IdFactory } from "../lib/ids.ts";
import { deliveries, webhookEndpoints } from "./tables.ts";

/** Turns the outbox into deliveries. */
export interface FanOut {
  /**
   * Takes the next events, oldest first, and makes a delivery for each endpoint that subscribes, in one
   * short transaction.
   * @returns the endpoints that have something new, and whether events are left
   */
  step(): { endpointSeqs: ReadonlySet<number>; left: boolean };
}

const deliveriesPerStepMax = 500;
const eventsPerStepMax = 200;

export function createFanOut({
  database,
  clock,
  ids,
}: {
  database: Database;
  clock: Clock;
  ids: IdFactory;
}): FanOut {
  const { query } = database;
  const undispatched = query
    .select({ seq: events.seq, type: events.type })
    .from(events)
    .where(isNull(events.dispatchedAt))
    .orderBy(asc(events.seq))
    .limit(sql.placeholder("limit"))
    .prepare();
  const subscribers = query
    .select({ seq: webhookEndpoints.seq, events: webhookEndpoints.events })
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.enabled, true))
    .prepare();
  const insert = query
    .insert(deliveries)
    .values({
      ...placeholders("id", "eventSeq", "endpointSeq", "nextAttemptAt", "createdAt"),
      status: "pending",
      attempts: 0,
    })
    .onConflictDoNothing()
    .prepare();
  const markDispatched = query
    .update(events)
    .set({ dispatchedAt: sql`${sql.placeholder("now")}` })
    .where(eq(events.seq, sql.placeholder("seq")))
    .prepare();

  return {
    step() {
      if (undispatched.get({ limit: 1 }) === undefined) return { endpointSeqs: new Set(), left: false };
      // Not waiting for the disk is safe: until the mark is durable the event counts as not dispatched.
      return relaxedTransaction(database, () => {
        const endpoints = subscribers.all();
        const limit = Math.min(
          eventsPerStepMax,
          Math.max(1, Math.floor(deliveriesPerStepMax / Math.max(1, endpoints.length))),
        );
        const now = clock.now();
        const endpointSeqs = new Set<number>();
        const batch = undispatched.all({ limit });
        for (const event of batch) {
          for (const endpoint of endpoints) {
            if (!subscribes(endpoint.events, event.type)) continue;
            const id = ids.next("delivery");
            insert.run({
              id,
              eventSeq: event.seq,
              endpointSeq: endpoint.seq,
              nextAttemptAt: now,
              createdAt: now,
            });
            endpointSeqs.add(endpoint.seq);
          }
          markDispatched.run({ now, seq: event.seq });
        }
        return { endpointSeqs, left: batch.length === limit };
      });
    },
  };
}

/** Whether an endpoint that asks for these types (none: all) is sent an event of this type. */
export function subscribes(types: readonly EventType[], type: EventType): boolean {
  return types.length === 0 || types.includes(type);
}
