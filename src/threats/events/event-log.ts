import { and, desc, eq, isNull, sql } from "drizzle-orm";
import type { Database } from "../../platform/database/database.ts";
import { columnsOf, countValue, statement } from "../../platform/database/statement.ts";
import type { EventType } from "../../platform/vocabulary/events.ts";
import type { EventBody } from "./payloads.ts";
import { events, threatOfEvent } from "./tables.ts";

export type EventLog = ReturnType<typeof createEventLog>;
export type RecordedEvent = ReturnType<EventLog["ofThreat"]>[number];

/** Recorded events, until `retention.events` deletes them, except those that are addressed to one recipient. */
export function createEventLog(database: Database) {
  const ofThreat = statement(database, (query) =>
    query
      .select({
        id: events.id,
        // Only an addressed event can have another type.
        type: sql<EventType>`${events.type}`,
        ...columnsOf(events, "createdAt dispatchedAt body"),
      })
      .from(events)
      .where(and(eq(threatOfEvent, sql.placeholder("threatId")), isNull(events.recipientSeq)))
      .orderBy(desc(events.seq))
      .limit(countValue("limit")),
  );
  return {
    /** Returns the events about a threat, newest first. */
    ofThreat: (threatId: string, limit: number) =>
      ofThreat.all({ threatId, limit }).map(({ dispatchedAt, body, ...event }) => ({
        ...event,
        /** Whether deliveries were created for the recipients that subscribe. */
        dispatched: dispatchedAt !== null,
        body: JSON.parse(body) as EventBody,
      })),
  };
}
