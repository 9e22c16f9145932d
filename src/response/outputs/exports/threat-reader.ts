import { desc, eq, sql } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import { statement } from "../../../platform/database/statement.ts";
import { protectedDomains } from "../../../threats/domains/tables.ts";
import { exportColumns, listColumns } from "../../../threats/threats/store/fields.ts";
import type { ListedThreat } from "../../../threats/threats/store/queries.ts";
import { threats } from "../../../threats/threats/store/tables.ts";

export type ThreatReader = ReturnType<typeof createThreatReader>;
/** A threat with everything that an export can show. */
export type ExportedThreat = ReturnType<ThreatReader["detailed"]>[number];

/**
 * Returns functions that read threats by `seq`, those with the highest first; deleted ones are left out. Each call is
 * one short statement: an export that takes minutes holds no transaction, so the write-ahead log can be copied into the
 * file meanwhile.
 */
export function createThreatReader(database: Database) {
  // One parameter for any number of threats, so that the statements are prepared once.
  const isAmong = sql`${threats.seq} in (select value from json_each(${sql.placeholder("seqs")}))`;
  const detailed = statement(database, (query) =>
    query
      .select(exportColumns)
      .from(threats)
      .innerJoin(protectedDomains, eq(threats.protectedDomainSeq, protectedDomains.seq))
      .where(isAmong)
      .orderBy(desc(threats.seq)),
  );
  const listed = statement(database, (query) =>
    query
      .select(listColumns)
      .from(threats)
      .innerJoin(protectedDomains, eq(threats.protectedDomainSeq, protectedDomains.seq))
      .where(isAmong)
      .orderBy(desc(threats.seq)),
  );
  return {
    detailed: (seqs: readonly number[]) =>
      detailed
        .all({ seqs: JSON.stringify(seqs) })
        .map((threat) => ({ ...threat, urls: JSON.parse(threat.urls) as string[] })),
    /** Reads only what the API's list shows, in half the time. */
    listed: (seqs: readonly number[]): ListedThreat[] => listed.all({ seqs: JSON.stringify(seqs) }),
  };
}
