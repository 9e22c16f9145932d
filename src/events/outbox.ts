import type { Database } from "../database/database.ts";
import { statement, valuesOf } from "../database/statement.ts";
import { toIsoTime, type Clock } from "../lib/clock.ts";
import type { IdFactory } from "../lib/ids.ts";
import type { EventType } from "../vocabulary/events.ts";
import type { EventBody, EventPayload } from "./payloads.ts";
import { events } from "./tables.ts";

/** Records events in the transaction of the change that they report: neither exists without the other. */
export interface Outbox {
  /** Returns the event's identifier. Throws outside of a transaction. */
  record<Type extends EventType>(type: Type, data: EventPayload[Type]): string;
  /** Calls `listener` after each commit that recorded events. */
  onRecorded(listener: () => void): void;
}

export function createOutbox({
  database,
  clock,
  ids,
}: {
  database: Database;
  clock: Clock;
  ids: IdFactory;
}): Outbox {
  const listeners: (() => void)[] = [];
  const notify = () => {
    for (const listener of listeners) listener();
  };
  const insert = statement(database, (query) =>
    query.insert(events).values(valuesOf(events, "id", "type", "body", "createdAt")),
  );

  return {
    record(type, data) {
      if (!database.sqlite.inTransaction)
        throw new Error("an event must be recorded in the transaction of its change");
      const createdAt = clock.now();
      const id = ids.next("event");
      const body: EventBody = { id, type, created_at: toIsoTime(createdAt), data };
      insert.run({ id, type, body: JSON.stringify(body), createdAt });
      database.afterCommit(notify);
      return id;
    },
    onRecorded: (listener) => void listeners.push(listener),
  };
}
