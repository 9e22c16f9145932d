import type { Database as Sqlite } from "bun:sqlite";
import type { Instant } from "../../lib/clock.ts";

/** Versions that did not record themselves, by the time of their last migration in the journal. */
const earlierVersions = [
  { version: "0.1.0", lastMigration: 1_795_283_199_052 },
  { version: "0.2.0", lastMigration: 1_795_361_716_905 },
] as const;

/** Version of phishwatch that migrated a database last. */
export interface DatabaseVersion {
  version: string;
  /** Undefined for versions that did not record it. */
  migratedAt: Instant | undefined;
}

/** Returns the version that migrated a database last. Undefined for a new one and one of a version under development. */
export function readDatabaseVersion(sqlite: Sqlite): DatabaseVersion | undefined {
  const applied = appliedMigrations(sqlite);
  if (hasTable(sqlite, "database_versions")) {
    const last = sqlite
      .query<{ version: string; migrations: number; migrated_at: Instant }, []>(
        "SELECT version, migrations, migrated_at FROM database_versions ORDER BY seq DESC LIMIT 1",
      )
      .get();
    // A version that was killed between its migrations and their record is recorded by its next start.
    if (last !== null && last.migrations === applied.length)
      return { version: last.version, migratedAt: last.migrated_at };
  }
  const newest = Math.max(0, ...applied);
  const earlier = earlierVersions.find(({ lastMigration }) => lastMigration === newest);
  return earlier === undefined ? undefined : { version: earlier.version, migratedAt: undefined };
}

/** Records that `version` migrated the database, unless it is recorded already. */
export function recordVersion(sqlite: Sqlite, { version, at }: { version: string; at: Instant }): void {
  const migrations = appliedMigrations(sqlite).length;
  sqlite.run(
    `INSERT INTO database_versions (version, migrations, migrated_at) SELECT ?1, ?2, ?3
     WHERE NOT EXISTS (SELECT 1 FROM database_versions WHERE migrations = ?2)`,
    [version, migrations, at],
  );
}

/** Returns the times in the journal of the migrations that were applied. */
export function appliedMigrations(sqlite: Sqlite): number[] {
  if (!hasTable(sqlite, "__drizzle_migrations")) return [];
  const rows = sqlite.query<{ created_at: number }, []>("SELECT created_at FROM __drizzle_migrations").all();
  return rows.map((row) => Number(row.created_at));
}

function hasTable(sqlite: Sqlite, name: string): boolean {
  return sqlite.query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== null;
}
