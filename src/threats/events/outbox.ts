import { max } from "drizzle-orm";
import type { Needs } from "../../platform/database/needs.ts";
import { statement, valuesOf } from "../../platform/database/statement.ts";
import { toIsoTime } from "../../platform/lib/clock.ts";
import type { EventType } from "../../platform/vocabulary/events.ts";
import type { EventBody, EventPayload } from "./payloads.ts";
import { events, threatEscalations } from "./tables.ts";

/** Records events in the transaction of the change that they report: neither exists without the other. */
export interface Outbox {
  /** Returns the event's identifier. Throws outside of a transaction. */
  record<Type extends EventType>(type: Type, data: EventPayload[Type]): string;
  /**
   * Notes that the severity of a threat rose, or that it became verified or active again, so that filters that match
   * only now are applied. Throws outside of a transaction.
   */
  recordEscalation(threatSeq: number): void;
  /** Calls `listener` after each commit that recorded events or escalations. */
  onRecorded(listener: () => void): void;
  /** Calls the listeners: another thread may have recorded events. */
  announce(): void;
}

export function createOutbox({ database, clock, ids }: Needs<"clock" | "database" | "ids">): Outbox {
  const listeners: (() => void)[] = [];
  const announce = () => {
    for (const listener of listeners) listener();
  };
  const insert = statement(database, (query) =>
    query.insert(events).values(valuesOf(events, "id", "type", "body", "createdAt")),
  );
  const newest = statement(database, (query) => query.select({ seq: max(events.seq) }).from(events));
  const insertEscalation = statement(database, (query) =>
    query.insert(threatEscalations).values(valuesOf(threatEscalations, "threatSeq", "eventSeq", "createdAt")),
  );

  function requireTransaction(): void {
    if (!database.sqlite.inTransaction)
      throw new Error("an event must be recorded in the transaction of its change");
  }

  return {
    record(type, data) {
      requireTransaction();
      const createdAt = clock.now();
      const id = ids.next("event");
      const body: EventBody = { id, type, created_at: toIsoTime(createdAt), data };
      insert.run({ id, type, body: JSON.stringify(body), createdAt });
      database.afterCommit(announce);
      return id;
    },
    recordEscalation(threatSeq) {
      requireTransaction();
      const eventSeq = newest.get()?.seq ?? 0;
      insertEscalation.run({ threatSeq, eventSeq, createdAt: clock.now() });
      database.afterCommit(announce);
    },
    onRecorded: (listener) => void listeners.push(listener),
    announce,
  };
}
