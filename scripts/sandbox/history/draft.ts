import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { AuditAction, AuditDetail } from "../../../src/access/audit/actions.ts";
import type { Actor } from "../../../src/access/audit/actor.ts";
import { auditLog } from "../../../src/access/audit/tables.ts";
import type { Database } from "../../../src/platform/database/database.ts";
import { statement, valuesOf } from "../../../src/platform/database/statement.ts";
import type { EventPayload } from "../../../src/threats/events/payloads.ts";
import type { Instant } from "../../../src/platform/lib/clock.ts";
import type { IdFactory } from "../../../src/platform/lib/ids.ts";
import type { EventType } from "../../../src/platform/vocabulary/events.ts";
import type { SeededRandom } from "../../../src/sandbox/world/random.ts";
import type { WorldThreat } from "../world/world.ts";

/** An event of the past, before it has an identifier. */
export type PastEvent = {
  [Type in EventType]: {
    type: Type;
    at: Instant;
    data: EventPayload[Type];
    onRecorded?: (id: string) => void;
  };
}[EventType];

interface PastChange {
  at: Instant;
  by: Actor;
  action: AuditAction;
  subject: string | null;
  detail?: AuditDetail;
}

/** A sample threat, as it is stored. */
export type StoredThreat = WorldThreat & { seq: number };

/** The history while it is being put together. Its parts add events and audit entries, which are then written in order. */
export interface Draft {
  database: Database;
  /** Creates identifiers of the given time. */
  idAt(at: Instant): IdFactory;
  random: SeededRandom;
  start: Instant;
  /** Oldest first. */
  threats: readonly StoredThreat[];
  /** `seq` of each protected domain. */
  domainSeqs: ReadonlyMap<string, number>;
  events: PastEvent[];
  changes: PastChange[];
  /** Called once the events have identifiers. */
  afterEvents: (() => void)[];
}

/** Inserts rows, all with the same columns. */
export function insertAll<Table extends SQLiteTable>(
  database: Database,
  table: Table,
  rows: readonly Table["$inferInsert"][],
): void {
  const [first] = rows;
  if (first === undefined) return;
  const names = Object.keys(first) as (keyof Table["_"]["columns"] & string)[];
  const insert = statement(database, (query) =>
    query.insert(table).values(valuesOf(table, ...names) as Table["$inferInsert"]),
  );
  for (const row of rows) insert.run(row);
}

export function writeChanges({ changes, database }: Draft): void {
  insertAll(
    database,
    auditLog,
    changes
      .toSorted((a, b) => a.at - b.at)
      .map(({ at, by: { channel, name, address }, action, subject, detail = {} }) => ({
        at,
        channel,
        name,
        address,
        action,
        subject,
        detail,
      })),
  );
}
