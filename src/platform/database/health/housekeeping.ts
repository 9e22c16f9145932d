import { statSync } from "node:fs";
import { logDropped, type Log } from "../../lib/log.ts";
import type { Database } from "../database.ts";
import { isBusy } from "../files/sqlite-error.ts";
import { canReleasePages, readPragma, withoutWaiting } from "../pragmas.ts";
import { truncateLog } from "./checkpoints.ts";

/** Free pages are kept up to this size or share, because the next rows use them. */
const spareBytesMax = 16 << 20;
const spareShareMax = 0.1;
/** Time for which one piece may stop the event loop. */
const sliceMs = 5;
const slicePagesMin = 16;
/** A commit writes about as many pages, which the time of a slice does not contain: 5 ms. */
const slicePagesMax = 512;
/** Size of the log from which it is worth truncating. */
const logBytesMax = 8 << 20;

/** Keeps the database file and its write-ahead log small. All work is done in short pieces. */
export function createHousekeeping({ database, log }: { database: Database; log: Log }) {
  const { sqlite, path } = database;
  const number = (pragma: string) => readPragma(sqlite, pragma);
  let slicePages = 256;
  let cancelled = false;
  /** Size of the log that could not be truncated, because somebody reads from it. */
  let stuckAtBytes = 0;
  /** Whether pages were released since the log was last copied into the file, which shrinks only then. */
  let isShrinking = false;

  /** Returns the number of free pages to release. A file of an earlier version cannot release any. */
  function excessPages(): number {
    if (!canReleasePages(sqlite)) return 0;
    const spare = Math.max(spareBytesMax / number("page_size"), spareShareMax * number("page_count"));
    return Math.max(0, number("freelist_count") - Math.floor(spare));
  }

  async function releasePages(excess: number): Promise<void> {
    let elapsedMs = 0;
    await database.write(
      () => {
        const startedAt = performance.now();
        sqlite.run(`PRAGMA incremental_vacuum(${Math.min(slicePages, excess)})`);
        elapsedMs = performance.now() - startedAt;
      },
      { relaxed: true },
    );
    slicePages = elapsedMs > sliceMs ? slicePages >> 1 : slicePages << 1;
    slicePages = Math.min(slicePagesMax, Math.max(slicePagesMin, slicePages));
  }

  const logBytes = () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;

  return {
    /**
     * Does one piece of work, if there is any.
     * @returns whether more is waiting; false after `cancel`
     */
    async step() {
      if (cancelled) return false;
      try {
        const excess = excessPages();
        if (excess > 0) {
          await releasePages(excess);
          isShrinking = true;
          return true;
        }
        const bytes = logBytes();
        if ((bytes > logBytesMax || isShrinking) && bytes !== stuckAtBytes) {
          // Also shortens the file, which takes 50 ms if it has released 200 MiB.
          await truncateLog(database);
          stuckAtBytes = logBytes();
          isShrinking = false;
        }
      } catch (error) {
        // A lock, or an error that the health of the database reports.
        if (!isBusy(error) && !cancelled) logDropped(log, error, "database.housekeeping_failed");
      }
      return false;
    },
    cancel() {
      cancelled = true;
    },
  };
}

/**
 * Copies the whole write-ahead log into the file and truncates it.
 * @returns whether it is empty; false while another connection reads from it or holds the lock
 */
export function truncateLogNow({ sqlite }: Pick<Database, "sqlite">): boolean {
  return withoutWaiting(sqlite, () => readPragma(sqlite, "wal_checkpoint(TRUNCATE)") === 0);
}

/** Time for which one step may hold the write lock. */
const stepMs = 25;
const pagesMin = 16;
const pagesMax = 8_192;
/** Pause between two steps, as a multiple of the step: others get most of the time. */
const pauseFactor = 1;

/**
 * Gives the free pages back to the disk, in steps that hold the write lock for some milliseconds each. Every step is a
 * transaction.
 * @returns "busy" if the write-ahead log could not be copied into the file, so that the file has not shrunk yet;
 *   "not_possible" for a file that cannot release pages
 */
export async function releaseFreePages(
  database: Database,
  { isStopped }: { isStopped: () => boolean },
): Promise<"done" | "busy" | "not_possible"> {
  const { sqlite } = database;
  const freePages = () => readPragma(sqlite, "freelist_count");
  if (!canReleasePages(sqlite)) return freePages() === 0 ? "done" : "not_possible";
  let pages = 256;
  while (freePages() > 0 && !isStopped()) {
    const startedAt = performance.now();
    database.transaction(() => void sqlite.run(`PRAGMA incremental_vacuum(${pages})`));
    const elapsedMs = performance.now() - startedAt;
    pages = Math.min(pagesMax, Math.max(pagesMin, elapsedMs > stepMs ? pages >> 1 : pages << 1));
    await Bun.sleep(elapsedMs * pauseFactor);
  }
  return truncateLogNow(database) ? "done" : "busy";
}

/** Rewrites the whole database. The caller must hold the lock for serving. SQLite undoes it if the process is killed. */
export function rewriteDatabase(database: Database): void {
  const { sqlite } = database;
  // A file of an earlier version can release pages from then on.
  sqlite.run("PRAGMA auto_vacuum = INCREMENTAL");
  sqlite.run("VACUUM");
  truncateLogNow(database);
}
