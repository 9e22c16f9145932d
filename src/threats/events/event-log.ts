import { and, desc, eq, isNull, sql } from "drizzle-orm";
import type { Database } from "../../platform/database/database.ts";
import { countValue, statement } from "../../platform/database/statement.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import type { EventType } from "../../platform/vocabulary/events.ts";
import type { EventBody } from "./payloads.ts";
import { events, threatOfEvent } from "./tables.ts";

export interface RecordedEvent {
  id: string;
  type: EventType;
  createdAt: Instant;
  /** Whether deliveries were created for the recipients that subscribe. */
  dispatched: boolean;
  body: EventBody;
}

/** Recorded events, until `retention.events` deletes them, except those that are addressed to one recipient. */
export interface EventLog {
  /** Returns the events about a threat, newest first. */
  ofThreat(threatId: string, limit: number): RecordedEvent[];
}

export function createEventLog(database: Database): EventLog {
  const ofThreat = statement(database, (query) =>
    query
      .select({
        id: events.id,
        // Only an addressed event can have another type.
        type: sql<EventType>`${events.type}`,
        createdAt: events.createdAt,
        dispatchedAt: events.dispatchedAt,
        body: events.body,
      })
      .from(events)
      .where(and(eq(threatOfEvent, sql.placeholder("threatId")), isNull(events.recipientSeq)))
      .orderBy(desc(events.seq))
      .limit(countValue("limit")),
  );
  return {
    ofThreat: (threatId, limit) =>
      ofThreat.all({ threatId, limit }).map(({ dispatchedAt, body, ...event }) => ({
        ...event,
        dispatched: dispatchedAt !== null,
        body: JSON.parse(body) as EventBody,
      })),
  };
}
