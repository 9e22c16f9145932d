import { Database as Sqlite } from "bun:sqlite";
import { copyDatabase, restoreDatabase } from "../../platform/database/backup.ts";
import { fileStamp, type Instant } from "../../platform/lib/clock.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { noOutcomes, readOutcomes, writeOutcomes, type BackupOutcomes } from "./running/outcomes.ts";
import { forgetLastStore } from "./restoring/open-database.ts";
import { insertAuditEntry } from "../../access/audit/raw-entry.ts";
import { rawSettings } from "../../access/settings/raw-settings.ts";
import { deleteAllSessions } from "../../access/console/sessions.ts";
import { holdRestoredReports } from "../../response/cases/restored-reports.ts";
import type { Needs } from "./repository/needs.ts";

const busyTimeoutMs = 5_000;

/**
 * Copies the database file to `target` and records it in the database's audit log. `recorded` is false when the audit
 * log cannot be written, for example because the database is read-only.
 * @throws StartError with a message for the operator.
 */
export function backUpFile({ path, target, by, at }: Needs<"by" | "at"> & { path: string; target: string }): {
  recorded: boolean;
} {
  copyDatabase(path, target);
  const recorded = withDatabase(path, (sqlite) => {
    insertAuditEntry(sqlite, { by, action: "backup.make", subject: visible(target), at });
    return true;
  });
  return { recorded: recorded ?? false };
}

/**
 * Returns the result of `work` on the database of any version, or undefined if it cannot be read or written: a backup
 * must not fail because of its record. The caller warns.
 */
function withDatabase<Result>(path: string, work: (sqlite: Sqlite) => Result): Result | undefined {
  let sqlite: Sqlite | undefined;
  try {
    sqlite = new Sqlite(path, { readwrite: true, strict: true });
    sqlite.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    return work(sqlite);
  } catch {
    return undefined;
  } finally {
    sqlite?.close();
  }
}

/** Returns the outcomes of earlier backups; none if the database is not readable. */
export function readStoredOutcomes(path: string, at: Instant): BackupOutcomes {
  return withDatabase(path, (sqlite) => readOutcomes(rawSettings(sqlite, at))) ?? noOutcomes;
}

/**
 * Records the outcome of a backup of the appliance that a command made: the server reports it.
 * @param id of the backup, for the audit log; absent: it failed
 * @returns whether it was recorded
 */
export function recordOutcome({
  path,
  by,
  at,
  outcome,
  id,
}: Needs<"by" | "at"> & { path: string; outcome: Partial<BackupOutcomes>; id?: string }): boolean {
  const recorded = withDatabase(path, (sqlite) => {
    const record = sqlite.transaction(() => {
      writeOutcomes(rawSettings(sqlite, at), outcome);
      if (id !== undefined) insertAuditEntry(sqlite, { by, action: "backup.make", subject: id, at });
    });
    record.immediate();
    return true;
  });
  return recorded ?? false;
}

/**
 * Replaces the database file with a copy and keeps the previous one next to it. The copy's console sessions are
 * deleted, because they may have been ended since, and the restore is recorded in its audit log.
 * @throws StartError with a message for the operator.
 */
export function restoreFile({
  copy,
  path,
  by,
  at,
  prepare,
}: Needs<"by" | "at"> & {
  copy: string;
  path: string;
  /** Changes the copy before it replaces the database. It may be of an earlier version, and is not migrated yet. */
  prepare: (incoming: Sqlite) => void;
}): { keptAs: string | undefined } {
  const stamp = fileStamp(at);
  return restoreDatabase(copy, path, stamp, (incoming) => {
    deleteAllSessions(incoming);
    holdRestoredReports(incoming);
    forgetLastStore(incoming);
    prepare(incoming);
    insertAuditEntry(incoming, { by, action: "backup.restore", subject: visible(copy), at });
  });
}
