import { desc, eq, sql } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import { placeholders } from "../database/placeholders.ts";
import type { Clock, Instant } from "../lib/clock.ts";
import { threatHistory, threats } from "./tables.ts";

/** Something about a threat that became another. Texts, for people; null: not known, or none. */
export interface Change {
  /** As in `ip_address`, `severity`, `page title`. */
  field: string;
  before: string | null;
  after: string | null;
}

export interface DatedChange extends Change {
  at: Instant;
}

/** What changed about each threat and when; the latest ones, so that a host that flickers fills no disk. */
export interface History {
  /** Has to run within a transaction. */
  record(threatSeq: number, changes: readonly Change[]): void;
  /** Newest first. */
  list(threatId: string): DatedChange[];
}

export const changesPerThreatMax = 200;
const textCharactersMax = 500;

export function createHistory({ database, clock }: { database: Database; clock: Clock }): History {
  const { query } = database;
  const insert = query
    .insert(threatHistory)
    .values(placeholders("threatSeq", "at", "field", "before", "after"))
    .prepare();
  const trim = query
    .delete(threatHistory)
    .where(
      sql`${threatHistory.seq} in (select seq from ${threatHistory} where threat_seq = ${sql.placeholder("threatSeq")}
        order by seq desc limit -1 offset ${changesPerThreatMax})`,
    )
    .prepare();
  const list = query
    .select({
      at: threatHistory.at,
      field: threatHistory.field,
      before: threatHistory.before,
      after: threatHistory.after,
    })
    .from(threatHistory)
    .innerJoin(threats, eq(threatHistory.threatSeq, threats.seq))
    .where(eq(threats.id, sql.placeholder("id")))
    .orderBy(desc(threatHistory.seq))
    .limit(changesPerThreatMax)
    .prepare();

  return {
    record(threatSeq, changes) {
      if (changes.length === 0) return;
      const at = clock.now();
      for (const { field, before, after } of changes)
        insert.run({ threatSeq, at, field, before: cut(before), after: cut(after) });
      trim.run({ threatSeq });
    },
    list: (id) => list.all({ id }),
  };
}

function cut(text: string | null): string | null {
  return text === null || text.length <= textCharactersMax
    ? text
    : `${text.slice(0, textCharactersMax - 1)}…`;
}
