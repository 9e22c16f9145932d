import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, type Database } from "../../src/platform/database/database.ts";
import { temporaryFolder } from "./appliance.ts";

let migrated: Buffer | undefined;

/** Writes a new database with all tables, unless the file exists. All migrations take ten times as long as a copy. */
export function createDatabase(path: string): void {
  if (existsSync(path)) return;
  migrated ??= migrateOnce();
  writeFileSync(path, migrated, { mode: 0o600 });
}

/** Opens a database file; a new one has all tables. */
export function openNewDatabase(path: string): Database {
  createDatabase(path);
  return openDatabase(path);
}

function migrateOnce(): Buffer {
  const folder = temporaryFolder();
  const path = join(folder.path, "phishwatch.db");
  openDatabase(path).close();
  const bytes = readFileSync(path);
  folder.dispose();
  return bytes;
}
