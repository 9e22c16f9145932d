import { desc, eq, sql } from "drizzle-orm";
import type { Actor } from "../access/audit/actor.ts";
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
  /** Who decided it; null: nobody did, it was found out. */
  by: Actor | null;
}

/**
 * What changed about each threat and when. The latest of what was found out, so that a host that flickers fills
 * no disk; and, counted apart so that it does not push them out, the latest of what people decided.
 */
export interface History {
  /** Has to run within a transaction. `by`: who decided it; null: nobody did, it was found out. */
  record(threatSeq: number, changes: readonly Change[], by: Actor | null): void;
  /** Newest first. */
  list(threatId: string): DatedChange[];
}

/** Of what was found out, and of what was decided. */
export const changesPerThreatMax = 200;
const textCharactersMax = 500;

export function createHistory({ database, clock }: { database: Database; clock: Clock }): History {
  const { query } = database;
  const insert = query
    .insert(threatHistory)
    .values(
      placeholders("threatSeq", "at", "field", "before", "after", "channel", "actorName", "actorAddress"),
    )
    .prepare();
  const trim = query
    .delete(threatHistory)
    .where(
      sql`${threatHistory.seq} in (select seq from ${threatHistory} where threat_seq = ${sql.placeholder("threatSeq")}
        and (via is not null) = ${sql.placeholder("decided")} order by seq desc limit -1 offset ${changesPerThreatMax})`,
    )
    .prepare();
  const list = query
    .select({
      at: threatHistory.at,
      field: threatHistory.field,
      before: threatHistory.before,
      after: threatHistory.after,
      channel: threatHistory.channel,
      actorName: threatHistory.actorName,
      actorAddress: threatHistory.actorAddress,
    })
    .from(threatHistory)
    .innerJoin(threats, eq(threatHistory.threatSeq, threats.seq))
    .where(eq(threats.id, sql.placeholder("id")))
    .orderBy(desc(threatHistory.seq))
    .limit(2 * changesPerThreatMax)
    .prepare();

  return {
    record(threatSeq, changes, by) {
      if (changes.length === 0) return;
      const at = clock.now();
      const actor = {
        channel: by?.channel ?? null,
        actorName: by?.name ?? null,
        actorAddress: by?.address ?? null,
      };
      for (const { field, before, after } of changes)
        insert.run({ threatSeq, at, field, before: cut(before), after: cut(after), ...actor });
      trim.run({ threatSeq, decided: by === null ? 0 : 1 });
    },
    list: (id) =>
      list.all({ id }).map(({ channel, actorName: name, actorAddress: address, ...change }) => ({
        ...change,
        by: channel === null ? null : { channel, name, address },
      })),
  };
}

function cut(text: string | null): string | null {
  return text === null || text.length <= textCharactersMax
    ? text
    : `${text.slice(0, textCharactersMax - 1)}…`;
}
