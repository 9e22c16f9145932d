import { desc, sql } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import type { Instant } from "../lib/clock.ts";
import { lazy } from "../lib/startup.ts";
import { events, threatOfEvent } from "./tables.ts";
import type { EventBody } from "./types.ts";
import type { EventType } from "../vocabulary/events.ts";

export interface RecordedEvent {
  id: string;
  type: EventType;
  createdAt: Instant;
  /** Whether it has been handed to the endpoints that subscribe. */
  dispatched: boolean;
  body: EventBody;
}

/** What was told of each threat, as far as it is kept (`retention.events`). */
export interface EventLog {
  /** Newest first. */
  ofThreat(threatId: string, limit: number): RecordedEvent[];
}

export function createEventLog({ query }: Database): EventLog {
  const ofThreat = lazy(() =>
    query
      .select({
        id: events.id,
        type: events.type,
        createdAt: events.createdAt,
        dispatchedAt: events.dispatchedAt,
        body: events.body,
      })
      .from(events)
      .where(sql`${threatOfEvent} = ${sql.placeholder("threatId")}`)
      .orderBy(desc(events.seq))
      .limit(sql.placeholder("limit"))
      .prepare(),
  );
  return {
    ofThreat: (threatId, limit) =>
      ofThreat()
        .all({ threatId, limit })
        .map(({ dispatchedAt, body, ...event }) => ({
          ...event,
          dispatched: dispatchedAt !== null,
          body: JSON.parse(body) as EventBody,
        })),
  };
}
