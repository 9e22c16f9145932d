import { eq, getTableColumns, getTableName } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import { statement } from "../../../platform/database/statement.ts";
import { protectedDomains } from "../../../threats/domains/tables.ts";
import { archiveChecks, type ArchiveCheck } from "./tables.ts";
import type { Database as Sqlite } from "bun:sqlite";

/** An enabled protected domain, with its latest check. */
export interface CheckedDomain {
  seq: number;
  domain: string;
  widenings: number;
  check: ArchiveCheck | null;
}

export type CheckStore = ReturnType<typeof createCheckStore>;

export function createCheckStore(database: Database) {
  const domains = statement(database, (query) =>
    query
      .select({
        seq: protectedDomains.seq,
        domain: protectedDomains.domain,
        widenings: protectedDomains.widenings,
        check: getTableColumns(archiveChecks),
      })
      .from(protectedDomains)
      .leftJoin(archiveChecks, eq(archiveChecks.protectedDomainSeq, protectedDomains.seq))
      .where(eq(protectedDomains.enabled, true))
      .orderBy(protectedDomains.domain),
  );
  return {
    /** Returns the enabled protected domains by name. */
    domains: (): CheckedDomain[] => domains.all(),
    save({ protectedDomainSeq, ...values }: ArchiveCheck) {
      database.query
        .insert(archiveChecks)
        .values({ protectedDomainSeq, ...values })
        .onConflictDoUpdate({ target: archiveChecks.protectedDomainSeq, set: values })
        .run();
    },
  };
}

const table = getTableName(archiveChecks);

/**
 * Requests a check of the archive for every protected domain of a backup that is being restored: the archive contains
 * names that were seen after the backup was created, whose threats the backup lacks. The backup may be of a version
 * without an archive.
 */
export function requestChecks(backup: Sqlite): void {
  const found = backup.query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table);
  if (found !== null) backup.run(`DELETE FROM ${table}`);
}
