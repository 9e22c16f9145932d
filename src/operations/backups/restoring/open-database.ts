import { Database as Sqlite } from "bun:sqlite";
import { sqliteErrorCode } from "../../../platform/database/files/errors.ts";
import { messageOf, StartError } from "../../../platform/lib/errors.ts";
import type { BackupManifest } from "../repository/format.ts";
import { StoreError } from "../stores/store.ts";

/** The objects of a backup are as they were stored, but its database is damaged. */
export class DamagedDatabaseError extends StoreError {
  constructor(message: string, cause?: unknown) {
    super("damaged", message, cause);
    this.name = "DamagedDatabaseError";
  }
}

/** Error codes of SQLite that concern the content of a file. With all others, the content was not read. */
const contentCodes = /^SQLITE_(CORRUPT|NOTADB|ERROR|CONSTRAINT|FORMAT)/;

/**
 * Opens the database of a backup and checks it: its structure, its content, and that it contains every row up to the
 * numbers in the manifest.
 * @param name of the store, for messages
 * @throws DamagedDatabaseError, or StartError if it cannot be opened or read here, which says nothing about the backup
 */
export function checkDatabase(path: string, manifest: BackupManifest, name: string): void {
  const damaged = (reason: string, cause?: unknown) =>
    new DamagedDatabaseError(
      `${name}: the database of the backup ${manifest.id} is damaged: ${reason}`,
      cause,
    );
  let sqlite: Sqlite | undefined;
  try {
    sqlite = new Sqlite(path, { readwrite: true, strict: true });
    const [first] = sqlite.query<{ integrity_check: string }, []>("PRAGMA integrity_check(1)").all();
    if (first?.integrity_check !== "ok") throw damaged(first?.integrity_check ?? "no result");
    const sequences = sequencesOf(sqlite);
    for (const [table, expected] of Object.entries(manifest.database.sequences)) {
      const found = sequences[table] ?? 0;
      if (found < expected) throw damaged(`${table} ends at row ${found} instead of ${expected}`);
    }
  } catch (error) {
    if (error instanceof DamagedDatabaseError) throw error;
    if (contentCodes.test(sqliteErrorCode(error) ?? "")) throw damaged(messageOf(error), error);
    const message = `${name}: the database of the backup ${manifest.id} could not be checked: ${messageOf(error)}`;
    throw new StartError(message, { cause: error });
  } finally {
    sqlite?.close();
  }
}

/** Name of the setting with the `BackupOutcomes`. */
export const outcomesSetting = "backup_outcomes";

/**
 * Lets a restored database begin backups anywhere: its place of backups may be of another machine. The first one begins a
 * new lineage. See `BackupOutcomes`.
 * @param incoming of any version
 */
export function forgetLastStore(incoming: Sqlite): void {
  incoming.run(
    "UPDATE settings SET value = json_remove(value, '$.store', '$.lineage', '$.foreign') WHERE name = ?",
    [outcomesSetting],
  );
}

/** Returns the highest number of a row by table. @param sqlite of any version of the schema */
export function sequencesOf(sqlite: Sqlite): Record<string, number> {
  const rows = sqlite
    .query<{ name: string; seq: number }, []>("SELECT name, seq FROM sqlite_sequence ORDER BY name")
    .all();
  return Object.fromEntries(rows.map(({ name, seq }) => [name, seq]));
}
