import { desc, eq, sql } from "drizzle-orm";
import type { Actor } from "../../../access/audit/actor.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import {
  columnsOf,
  hasValue,
  opaqueValue,
  statement,
  valuesExcept,
} from "../../../platform/database/statement.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { threatHistory, threats } from "../store/tables.ts";

/** A change of one field of a threat, with values as text for display; null: unknown or none. */
export interface Change {
  /** For example `ip_address`, `severity` or `page title`. */
  field: string;
  before: string | null;
  after: string | null;
}

export interface DatedChange extends Change {
  at: Instant;
  /** Actor that decided; null for a fact that lookups found. */
  by: Actor | null;
}

/**
 * The latest changes of each threat. Facts are limited so that a flapping host does not fill the disk; decisions
 * are counted separately, so that facts do not displace them.
 */
export type History = ReturnType<typeof createHistory>;

/** Maximum number of facts, and of decisions, that are kept per threat. */
export const changesPerThreatMax = 200;
const textCharactersMax = 500;

export function createHistory({ database, clock }: Needs<"clock" | "database">) {
  const insert = statement(database, (query) =>
    query.insert(threatHistory).values(valuesExcept(threatHistory, "seq")),
  );
  const trim = statement(database, (query) =>
    query.delete(threatHistory).where(
      sql`${threatHistory.seq} in (select seq from ${threatHistory} where threat_seq = ${opaqueValue(threatHistory.threatSeq)}
        and (via is not null) = ${sql.placeholder("decided")} order by seq desc limit -1 offset ${changesPerThreatMax})`,
    ),
  );
  const list = statement(database, (query) =>
    query
      .select(columnsOf(threatHistory, "at field before after channel actorName actorAddress"))
      .from(threatHistory)
      .innerJoin(threats, eq(threatHistory.threatSeq, threats.seq))
      .where(hasValue(threats.id))
      .orderBy(desc(threatHistory.seq))
      .limit(2 * changesPerThreatMax),
  );

  return {
    /** Must run within a transaction. `by`: actor that decided; null for facts that lookups found. */
    record(threatSeq: number, changes: readonly Change[], by: Actor | null) {
      if (changes.length === 0) return;
      const at = clock.now();
      const actor = {
        channel: by?.channel ?? null,
        actorName: by?.name ?? null,
        actorAddress: by?.address ?? null,
      };
      for (const { field, before, after } of changes)
        insert.run({ threatSeq, at, field, before: truncated(before), after: truncated(after), ...actor });
      trim.run({ threatSeq, decided: by === null ? 0 : 1 });
    },
    /** Returns the changes, newest first. */
    list: (id: string): DatedChange[] =>
      list.all({ id }).map(({ channel, actorName: name, actorAddress: address, ...change }) => ({
        ...change,
        by: channel === null ? null : { channel, name, address },
      })),
  };
}

function truncated(text: string | null): string | null {
  return text === null || text.length <= textCharactersMax
    ? text
    : `${text.slice(0, textCharactersMax - 1)}…`;
}
