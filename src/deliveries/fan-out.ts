import { asc, eq, isNull } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import { countValue, statement, value, valuesOf } from "../database/statement.ts";
import { events } from "../events/tables.ts";
import type { Clock } from "../lib/clock.ts";
import type { IdFactory } from "../lib/ids.ts";
import type { EventType } from "../vocabulary/events.ts";
import { deliveries, recipients } from "./tables.ts";

/** Turns events of the outbox into deliveries. */
export interface FanOut {
  /** Returns whether there are events to take. */
  isNeeded(): boolean;
  /**
   * Takes the next events, oldest first, and creates a delivery for each recipient that subscribes, in one
   * short transaction.
   * @returns the recipients with new deliveries
   */
  step(): Promise<ReadonlySet<number>>;
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
  const undispatched = statement(database, (query) =>
    query
      .select({ seq: events.seq, type: events.type })
      .from(events)
      .where(isNull(events.dispatchedAt))
      .orderBy(asc(events.seq))
      .limit(countValue("limit")),
  );
  const subscribers = statement(database, (query) =>
    query
      .select({ seq: recipients.seq, events: recipients.events })
      .from(recipients)
      .where(eq(recipients.enabled, true)),
  );
  const insert = statement(database, (query) =>
    query
      .insert(deliveries)
      .values({
        ...valuesOf(deliveries, "id", "eventSeq", "recipientSeq", "nextAttemptAt", "createdAt"),
        status: "pending",
        attempts: 0,
      })
      .onConflictDoNothing(),
  );
  const markDispatched = statement(database, (query) =>
    query
      .update(events)
      .set({ dispatchedAt: value(events.dispatchedAt, "now") })
      .where(eq(events.seq, value(events.seq))),
  );

  function dispatchNext(): ReadonlySet<number> {
    const enabled = subscribers.all();
    const limit = Math.min(
      eventsPerStepMax,
      Math.max(1, Math.floor(deliveriesPerStepMax / Math.max(1, enabled.length))),
    );
    const now = clock.now();
    const recipientSeqs = new Set<number>();
    const batch = undispatched.all({ limit });
    for (const event of batch) {
      for (const recipient of enabled) {
        if (!subscribes(recipient.events, event.type)) continue;
        insert.run({
          id: ids.next("delivery"),
          eventSeq: event.seq,
          recipientSeq: recipient.seq,
          nextAttemptAt: now,
          createdAt: now,
        });
        recipientSeqs.add(recipient.seq);
      }
      markDispatched.run({ now, seq: event.seq });
    }
    return recipientSeqs;
  }

  return {
    isNeeded: () => undispatched.get({ limit: 1 }) !== undefined,
    // Relaxed is safe: until the mark is durable, the event counts as not dispatched.
    step: () => database.write(dispatchNext, { relaxed: true, patient: true }),
  };
}

/** Returns whether a recipient with these event types (none: all) is sent events of `type`. */
function subscribes(types: readonly EventType[], type: EventType): boolean {
  return types.length === 0 || types.includes(type);
}
