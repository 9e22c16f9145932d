import type { Database } from "../database/database.ts";
import { placeholders } from "../database/placeholders.ts";
import type { Clock } from "../lib/clock.ts";
import { toIsoTime } from "../lib/clock.ts";
import type { IdFactory } from "../lib/ids.ts";
import { events } from "./tables.ts";
import type { EventBody } from "./types.ts";
import type { EventType } from "../vocabulary/events.ts";

/** Where a subject leaves word of a change, in the change's own transaction: never one without the other. */
export interface Outbox {
  /** Has to be called within a transaction. Answers the event's identifier. */
  record(type: EventType, data: object): string;
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
  const values = placeholders("id", "type", "body", "createdAt");
  const insert = database.query.insert(events).values(values).prepare();

  return {
    record(type, data) {
      if (!database.sqlite.inTransaction)
        throw new Error("an event is recorded in the transaction of its change");
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
