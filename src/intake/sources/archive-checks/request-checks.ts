import type { Database as Sqlite } from "bun:sqlite";
import { getTableName } from "drizzle-orm";
import { archiveChecks } from "./tables.ts";

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
