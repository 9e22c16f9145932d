import type { Needs } from "../../../platform/database/needs.ts";
import { statement, valuesOf } from "../../../platform/database/statement.ts";
import { events } from "../../../threats/events/tables.ts";
import type { RecordedEventType } from "../../../platform/vocabulary/events.ts";
import { deliveries } from "./tables.ts";

/** An event that only one recipient is sent. */
export interface AddressedEvent {
  id: string;
  recipientSeq: number;
  type: RecordedEventType;
  body: string;
}

/** Returns a function that records an addressed event and its delivery, due now, in the caller's transaction. */
export function createAddressedEvents({
  database,
  clock,
  ids,
}: Needs<"clock" | "database" | "ids">): (event: AddressedEvent) => void {
  const insertEvent = statement(database, (query) =>
    query
      .insert(events)
      .values(valuesOf(events, "id", "type", "body", "createdAt", "dispatchedAt", "recipientSeq"))
      .returning({ seq: events.seq }),
  );
  const insertDelivery = statement(database, (query) =>
    query.insert(deliveries).values({
      ...valuesOf(deliveries, "id", "eventSeq", "recipientSeq", "nextAttemptAt", "createdAt"),
      status: "pending",
      attempts: 0,
    }),
  );

  return (event) => {
    if (!database.sqlite.inTransaction)
      throw new Error("a message must be recorded in the transaction of its cause");
    const now = clock.now();
    const { seq } = insertEvent.get({ ...event, createdAt: now, dispatchedAt: now })!;
    const { recipientSeq } = event;
    const id = ids.next("delivery");
    insertDelivery.run({ id, eventSeq: seq, recipientSeq, nextAttemptAt: now, createdAt: now });
  };
}
