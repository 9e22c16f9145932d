import type { CertificateLog } from "../../../engines/certificate-transparency/log.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import { logDropped, type Log } from "../../../platform/lib/log.ts";
import { sumOf } from "../../../platform/lib/sums.ts";
import type { BatchRecorder, RecordedBatch } from "./batch-recorder.ts";
import { createLogStore, describe, newRow, progressColumns } from "./log-store.ts";
import type { Batch, LogReport } from "../certificate-log-reading/messages.ts";
import { averageAfter } from "./status.ts";
import type { CertificateLogFailure, CertificateLogRow } from "./tables.ts";

/** A failure that repeats is stored at most this often. */
const failureSavedMs = 60_000;
/** Failures of a log are logged at most this often: some operators refuse a share of the requests all the time. */
const failureLoggedMs = 10 * 60_000;

/** Stores what is reported about logs, and keeps their rows in memory. */
export type ProgressKeeper = ReturnType<typeof createProgressKeeper>;

export function createProgressKeeper(
  dependencies: Needs<"clock" | "database" | "log"> & { recorder: BatchRecorder },
) {
  const { clock, database, log, recorder } = dependencies;
  const store = createLogStore(database);
  const rows = new Map<string, CertificateLogRow>();
  const unread = new Map<string, CertificateLogFailure>();
  const loggedMs = new Map<string, number>();
  const failing = new Map<string, { message: string; savedMs: number }>();
  let isLoaded = false;

  return {
    /** Reads the rows again. */
    load() {
      isLoaded = true;
      rows.clear();
      for (const row of store.list()) rows.set(row.logId, row);
      unread.clear();
      for (const failure of store.failures()) unread.set(failure.logId, failure);
    },
    /** Returns the last failure of a log that has no row. */
    failure: (logId: string): CertificateLogFailure | undefined =>
      isLoaded ? unread.get(logId) : store.failures().find((failure) => failure.logId === logId),
    /** Returns the row of a log; in a command, which loads nothing, the stored one. */
    row: (logId: string): CertificateLogRow | undefined => (isLoaded ? rows.get(logId) : store.get(logId)),
    /** Records the threats of a batch and the progress after it, in one transaction. */
    async storeBatch(of: CertificateLog, batch: Batch): Promise<void> {
      const before = rows.get(of.logId) ?? newRow(of, batch.progress, clock.now());
      let row = before;
      await recorder.record(batch, (recorded) => {
        row = rowAfter(before, of, { batch, recorded, now: clock.now() });
        store.save(row);
        if (unread.has(of.logId)) store.deleteFailure(of.logId);
      });
      unread.delete(of.logId);
      // A failure may have been counted during the write.
      const { errors, error, errorAt } = rows.get(of.logId) ?? row;
      rows.set(of.logId, { ...row, errors, error, errorAt });
      failing.delete(of.logId);
      logBatch(log, before, row, batch.counts.skipped);
    },
    /** Stores that a log contradicts itself, and the verified position to which it returns. */
    async storeMismatch(
      { description, logId }: CertificateLog,
      { message, progress, retryMs }: Extract<LogReport, { report: "mismatch" }>,
    ): Promise<void> {
      const before = rows.get(logId);
      if (before === undefined) return;
      const failed = { errors: before.errors + 1, error: message, errorAt: clock.now(), mismatch: message };
      const row = { ...before, ...progressColumns(progress), ...failed };
      await database.write(() => store.save(row), { patient: true });
      rows.set(logId, row);
      const { position } = row;
      log.event("certificate_log.mismatch", { log: description, reason: message, position, retryMs });
    },
    /** Counts a failure. It is stored soon. */
    noteFailure({ description, logId }: CertificateLog, message: string): void {
      const last = failing.get(logId);
      const isNew = last?.message !== message;
      const nowMs = clock.monotonicMs();
      if (nowMs - (loggedMs.get(logId) ?? -Infinity) >= failureLoggedMs) {
        log.event("certificate_log.unreadable", { log: description, reason: message });
        loggedMs.set(logId, nowMs);
      }
      const isDue = last === undefined || isNew || nowMs - last.savedMs >= failureSavedMs;
      failing.set(logId, { message, savedMs: isDue ? nowMs : last.savedMs });
      const before = rows.get(logId);
      const errors = (before ?? unread.get(logId))?.errors ?? 0;
      const values = { errors: errors + 1, error: message, errorAt: clock.now() };
      if (before === undefined) unread.set(logId, { logId, ...values });
      else rows.set(logId, { ...before, ...values });
      if (!isDue) return;
      saveSoon(() =>
        before === undefined ? store.saveFailure({ logId, ...values }) : store.change(logId, values),
      );
    },
    /** Notes that everything could be read, also if it was nothing new. */
    noteSuccess({ logId }: CertificateLog): void {
      const row = rows.get(logId);
      if (!failing.delete(logId) || row === undefined) return;
      const values = withAverages(row, { entries: 0, bytes: 0 }, clock.now());
      rows.set(logId, { ...row, ...values });
      saveSoon(() => store.change(logId, values));
    },
  };

  /** Saves something that may be lost. */
  function saveSoon(work: () => void): void {
    database
      .write(work, { relaxed: true })
      .catch((error: unknown) => logDropped(log, error, "certificate_log.state_not_stored"));
  }
}

function logBatch(
  log: Log,
  before: CertificateLogRow,
  { description, mismatch, position, progressAt, startedAt }: CertificateLogRow,
  skipped: number,
): void {
  const fields = { log: description, position };
  if (before.entries === 0 && startedAt === progressAt) log.event("certificate_log.followed", fields);
  if (before.mismatch !== null && mismatch === null) log.event("certificate_log.mismatch_ended", fields);
  if (skipped > 0) log.event("certificate_log.entries_skipped", { ...fields, entries: skipped });
}

/** Returns the row after a batch. */
function rowAfter(
  before: CertificateLogRow,
  log: CertificateLog,
  { batch, recorded, now }: { batch: Batch; recorded: RecordedBatch; now: number },
): CertificateLogRow {
  const { counts, progress } = batch;
  // A mismatch ends when entries beyond the verified position are verified.
  const isVerified = (progress.verified?.size ?? 0) >= progress.position && counts.entries > 0;
  return {
    ...before,
    ...describe(log),
    ...progressColumns(progress),
    ...sumOf([before, counts], "entries", "names", "skipped", "malformed", "bytes"),
    ...sumOf([before, recorded], "matched", "created"),
    ...withAverages(before, counts, now),
    lastEntryAt: batch.lastEntryAt ?? before.lastEntryAt,
    mismatch: isVerified ? null : before.mismatch,
  };
}

/** Returns the averages after more has arrived. */
function withAverages(
  row: CertificateLogRow,
  { entries, bytes }: { entries: number; bytes: number },
  now: number,
): Pick<CertificateLogRow, "entriesPerSecond" | "bytesPerSecond" | "progressAt"> {
  const elapsedMs = now - row.progressAt;
  return {
    entriesPerSecond: averageAfter(row.entriesPerSecond, entries, elapsedMs),
    bytesPerSecond: averageAfter(row.bytesPerSecond, bytes, elapsedMs),
    progressAt: now,
  };
}
