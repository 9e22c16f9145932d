import { asc, eq } from "drizzle-orm";
import { parseRange, serializeRange } from "../../../engines/certificate-transparency/trees/compact-range.ts";
import type { CertificateLog, CompactRange } from "../../../engines/certificate-transparency/log.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { LogProgress } from "../certificate-log-reading/messages.ts";
import {
  certificateLogFailures,
  certificateLogs,
  type CertificateLogFailure,
  type CertificateLogRow,
} from "./tables.ts";

/** Stores the progress in each log. */
export function createLogStore({ query }: Database) {
  return {
    /** Returns all logs that were ever followed, by description. */
    list: (): CertificateLogRow[] =>
      query.select().from(certificateLogs).orderBy(asc(certificateLogs.description)).all(),
    get: (logId: string): CertificateLogRow | undefined =>
      query.select().from(certificateLogs).where(eq(certificateLogs.logId, logId)).get(),

    /** Inserts or replaces the whole row. */
    save: (row: CertificateLogRow) =>
      void query
        .insert(certificateLogs)
        .values(row)
        .onConflictDoUpdate({ target: certificateLogs.logId, set: row })
        .run(),
    change: (logId: string, values: Partial<CertificateLogRow>) =>
      void query.update(certificateLogs).set(values).where(eq(certificateLogs.logId, logId)).run(),

    /** Returns the failures of logs of which nothing could be read yet. */
    failures: (): CertificateLogFailure[] => query.select().from(certificateLogFailures).all(),
    saveFailure: (failure: CertificateLogFailure) =>
      void query
        .insert(certificateLogFailures)
        .values(failure)
        .onConflictDoUpdate({ target: certificateLogFailures.logId, set: failure })
        .run(),
    deleteFailure: (logId: string) =>
      void query.delete(certificateLogFailures).where(eq(certificateLogFailures.logId, logId)).run(),
  };
}

export type DescribedLog = Pick<CertificateLog, "logId" | "description" | "operator" | "protocol" | "url">;

/** Columns that a log list determines, and may change. */
export function describe({ logId, description, operator, protocol, url }: DescribedLog): DescribedLog {
  return { logId, description, operator, protocol, url };
}

/** Counts of a log of which nothing was read. */
export const noCounts = {
  entries: 0,
  names: 0,
  matched: 0,
  created: 0,
  skipped: 0,
  malformed: 0,
  bytes: 0,
  errors: 0,
};
export type Counts = typeof noCounts;

/** Returns the row of a log that is followed for the first time. */
export function newRow(log: CertificateLog, progress: LogProgress, now: Instant): CertificateLogRow {
  return {
    ...describe(log),
    ...progressColumns(progress),
    ...noCounts,
    entriesPerSecond: 0,
    bytesPerSecond: 0,
    lastEntryAt: null,
    error: null,
    errorAt: null,
    mismatch: null,
    startedAt: now,
    progressAt: now,
  };
}

export function progressColumns(progress: LogProgress) {
  const { position, range, verified, head, backlog, exemptBefore } = progress;
  return {
    position,
    range: bytesOf(range),
    verifiedRange: bytesOf(verified),
    headSize: head.size,
    headRoot: Buffer.from(head.rootHash),
    headAt: head.timestamp,
    backlogSize: backlog?.size ?? null,
    backlogSince: backlog?.since ?? null,
    exemptBefore,
  };
}

/**
 * Returns the progress that a row holds, if there is one. A range that does not belong to the position counts as missing: then nothing is
 * verified until the next tree head.
 */
export function progressOfRow(row: CertificateLogRow | undefined): LogProgress | null {
  if (row === undefined) return null;
  const { position, headSize, headRoot, headAt, backlogSize, backlogSince, exemptBefore } = row;
  const range = rangeOf(row.range);
  return {
    position,
    range: range?.size === position ? range : null,
    verified: rangeOf(row.verifiedRange),
    head: { size: headSize, rootHash: new Uint8Array(headRoot), timestamp: headAt },
    backlog:
      backlogSize === null || backlogSince === null ? null : { size: backlogSize, since: backlogSince },
    exemptBefore,
  };
}

function bytesOf(range: CompactRange | null): Buffer | null {
  return range === null ? null : Buffer.from(serializeRange(range));
}

function rangeOf(bytes: Uint8Array | null): CompactRange | null {
  return bytes === null ? null : (parseRange(bytes) ?? null);
}
