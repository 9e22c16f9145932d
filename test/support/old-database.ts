import { Database as Sqlite } from "bun:sqlite";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrateDatabase } from "../../src/platform/database/migrate.ts";
import { temporaryFolder } from "./appliance.ts";

const migrations = join(import.meta.dir, "../../drizzle");

/**
 * Creates a database file as the version before a migration left it.
 * @param ending end of the migration's tag, such as `_failed_sign_ins`; absent: the newest migration
 */
export function openOldDatabase(path: string, ending = ""): Sqlite {
  const folder = temporaryFolder();
  cpSync(migrations, folder.path, { recursive: true });
  const journalPath = join(folder.path, "meta/_journal.json");
  const journal = JSON.parse(readFileSync(journalPath, "utf8")) as { entries: { tag: string }[] };
  const index = journal.entries.findLastIndex(({ tag }) => tag.endsWith(ending));
  writeFileSync(journalPath, JSON.stringify({ ...journal, entries: journal.entries.slice(0, index) }));
  const sqlite = new Sqlite(path, { create: true });
  migrateDatabase(sqlite, folder.path);
  folder.dispose();
  return sqlite;
}
