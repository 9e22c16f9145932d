import type { Database as Sqlite } from "bun:sqlite";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator";
import { buildInfo } from "../lib/build-info.ts";
import { StartError } from "../lib/errors.ts";
import { storeReasonsAsCodes } from "./reason-codes.ts";
import { appliedMigrations, describeNewer, readDatabaseVersion } from "./versions.ts";

/** Data steps of migrations, by their time in the journal. Each runs after the SQL, in the same transaction. */
const dataSteps: ReadonlyMap<number, (sqlite: Sqlite) => void> = new Map([
  [1_795_318_598_461, storeReasonsAsCodes],
]);

/** Migrations that a database of an earlier version needs. */
export interface PendingMigrations {
  /** Path of the file, or ":memory:". */
  path: string;
  /** Version that wrote the database; undefined for one that was not released. */
  from: string | undefined;
  /** Names, such as "0038_add_database_versions". */
  names: string[];
}

/**
 * Applies the migrations that are built into the executable.
 * @param options.before is called once before anything changes, if the database is of an earlier version
 * @throws StartError if a newer version wrote the database, or if a migration breaks a reference.
 */
export function migrateDatabase(
  sqlite: Sqlite,
  migrationsFolder = builtInMigrations(),
  { before }: { before?: ((pending: PendingMigrations) => void) | undefined } = {},
): void {
  // The migrations themselves are not read if none is pending, as at nearly every start.
  const known = readJournal(migrationsFolder);
  const applied = appliedMigrations(sqlite);
  requireKnown(sqlite, applied, known);
  if (applied.length < known.length) {
    if (applied.length > 0) before?.(pendingMigrations(sqlite, migrationsFolder));
    // SQLite rebuilds a table by copy and drop: with foreign keys on, the drop would cascade.
    sqlite.run("PRAGMA foreign_keys = OFF");
    apply(sqlite, readMigrationFiles({ migrationsFolder }));
    const broken = sqlite.query("PRAGMA foreign_key_check").all();
    if (broken.length > 0) {
      throw new StartError(`the migration left ${broken.length} broken references; restore a backup`);
    }
    // A migration that is older than the last applied one was skipped.
    const missing = known.length - appliedMigrations(sqlite).length;
    if (missing > 0)
      throw new StartError(`${missing} migrations were not applied: the journal is out of order`);
  }
  sqlite.run("PRAGMA foreign_keys = ON");
}

/**
 * Applies all migrations newer than the last applied one in one transaction, and records them as drizzle's migrator
 * does. drizzle's migrator takes 14 ms of the first start, this takes 4 ms. The last applied migration is read under
 * the lock, because another process may have been faster.
 */
function apply(sqlite: Sqlite, known: readonly MigrationMeta[]): void {
  sqlite
    .transaction(() => {
      sqlite.run(
        "CREATE TABLE IF NOT EXISTS __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)",
      );
      const last = Math.max(0, ...appliedMigrations(sqlite));
      for (const { sql, hash, folderMillis } of known.filter((migration) => migration.folderMillis > last)) {
        for (const statement of sql) sqlite.run(statement);
        dataSteps.get(folderMillis)?.(sqlite);
        sqlite.run("INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)", [hash, folderMillis]);
      }
    })
    .immediate();
}

/** @throws StartError if another version than a released one up to this wrote the database */
function requireKnown(sqlite: Sqlite, applied: readonly number[], known: readonly JournalEntry[]): void {
  const newest = known.at(-1)?.when ?? 0;
  if (applied.some((millis) => millis > newest))
    throw new StartError(describeNewer(sqlite, { version: buildInfo.version }));
  // Only migrations newer than the last applied one are applied, so such a database would count as up to date.
  if (applied.some((millis) => !known.some(({ when }) => when === millis)))
    throw new StartError(
      "the database was written by a pre-release version of phishwatch; move it away and start with a new one, or run that version",
    );
}

/** Returns what `migrateDatabase` would apply. @throws StartError if it would reject the database */
export function pendingMigrations(sqlite: Sqlite, migrationsFolder = builtInMigrations()): PendingMigrations {
  const known = readJournal(migrationsFolder);
  const applied = new Set(appliedMigrations(sqlite));
  requireKnown(sqlite, [...applied], known);
  return {
    path: sqlite.filename,
    from: readDatabaseVersion(sqlite)?.version,
    names: known.filter(({ when }) => !applied.has(when)).map(({ tag }) => tag),
  };
}

/** A migration in drizzle's journal. */
interface JournalEntry {
  /** Name, such as "0038_add_database_versions". */
  tag: string;
  /** Time of its creation, in milliseconds, by which the database records it. */
  when: number;
}

function readJournal(migrationsFolder: string): readonly JournalEntry[] {
  const text = readFileSync(join(migrationsFolder, "meta/_journal.json"), "utf8");
  return (JSON.parse(text) as { entries: JournalEntry[] }).entries;
}

/** In the executable, the folder is next to the code; in the sources, it is two levels up. */
function builtInMigrations(): string {
  const embedded = join(import.meta.dir, "drizzle");
  return existsSync(embedded) ? embedded : join(import.meta.dir, "../../../drizzle");
}
