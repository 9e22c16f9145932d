import type { Database as Sqlite } from "bun:sqlite";
import { type Instant, toPlainTime } from "../lib/clock.ts";
import { counted } from "../lib/wording.ts";
import { withConnection } from "./files/with-connection.ts";
import { listUpgradeCopies, type UpgradeCopy } from "./upgrade-copies.ts";
import { shellWord } from "../lib/shell-word.ts";

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

/** Tables whose new rows would be lost by going back, and what a row is. */
const lossTables = [
  { table: "threats", one: "threat", many: "threats" },
  { table: "threat_history", one: "change of a threat", many: "changes of threats" },
  { table: "audit_log", one: "audit entry", many: "audit entries" },
  { table: "deliveries", one: "delivery", many: "deliveries" },
];

/**
 * Returns why a database of a newer version is rejected, and how to continue: the version that can use it, and the
 * copies that this version can go back to, with what each lacks.
 */
export function describeNewer(sqlite: Sqlite, { version }: { version: string }): string {
  const { file: path } = sqlite.query<{ file: string }, []>("PRAGMA database_list").get()!;
  const found = readDatabaseVersion(sqlite);
  const newer = found === undefined ? "a newer version" : `version ${found.version}`;
  const since = found?.migratedAt === undefined ? "" : ` since ${toPlainTime(found.migratedAt)}`;
  const first = `the database is of ${newer} of phishwatch${since}, and this is version ${version}, which cannot read it`;
  const copies = listUpgradeCopies(path).filter((copy) => isUpTo(copy.version, version));
  const run = `run ${found === undefined ? "the newer version" : found.version}`;
  if (copies.length === 0)
    return `${first}; ${run}, or restore a backup that version ${version} or an earlier one made ('phishwatch restore FILE')`;
  const lines = copies.map(
    (copy) => `  phishwatch restore ${shellWord(copy.path)}   (${describeCopy(sqlite, copy)})`,
  );
  return [`${first}; ${run}, or go back to a copy that was made before an upgrade:`, ...lines].join("\n");
}

function describeCopy(sqlite: Sqlite, { path, version, at }: UpgradeCopy): string {
  const state = `version ${version}, ${toPlainTime(at)}`;
  const losses = lossesOf(sqlite, path);
  if (losses === undefined) return state;
  return `${state}; loses ${losses.length === 0 ? "nothing that was recorded" : losses.join(", ")}`;
}

/** Returns the number of rows that the database has and the copy lacks; undefined if the copy cannot be read. */
function lossesOf(sqlite: Sqlite, copyPath: string): string[] | undefined {
  try {
    return withConnection(copyPath, { readonly: true }, (copy) =>
      lossTables.flatMap(({ table, one, many }) => {
        const last = lastSeq(copy, table);
        const added = last === undefined ? 0 : countAfter(sqlite, table, last);
        return added === 0 ? [] : [counted(added, one, many)];
      }),
    );
  } catch {
    return undefined;
  }
}

function lastSeq(sqlite: Sqlite, table: string): number | undefined {
  try {
    return numberOf(sqlite, `SELECT max(seq) FROM ${table}`);
  } catch {
    // A version without this table.
    return undefined;
  }
}

function countAfter(sqlite: Sqlite, table: string, seq: number): number {
  try {
    return numberOf(sqlite, `SELECT count(*) FROM ${table} WHERE seq > ?`, seq);
  } catch {
    // A later version may have replaced the table.
    return 0;
  }
}

/** Returns the only value of a query; 0 for NULL. */
function numberOf(sqlite: Sqlite, sql: string, ...values: number[]): number {
  const [[value] = []] = sqlite.query(sql).values(...values);
  return Number(value ?? 0);
}

/** Returns whether a version is not newer than another one. Only the numbers count. */
function isUpTo(version: string, other: string): boolean {
  return Bun.semver.order(version, other) <= 0;
}
