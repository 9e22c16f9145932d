import { statSync } from "node:fs";
import { type Log, logDropped } from "../../lib/log.ts";
import type { Database } from "../database.ts";
import { isBusy } from "../files/errors.ts";
import { canReleasePages, logBytesKept, logPagesMax, readPragma, withoutWaiting } from "../pragmas.ts";
import { startFileTask } from "../files/file-worker.ts";

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

/** Size of the log from which it is copied, 16 MiB: starting a thread takes 4 ms, and a page that changes often is copied once. */
const defaultPages = 4_096;
/** Number of pages from which SQLite copies the log without a server. */
const pagesUsually = 1_000;

/** Copies what is there while the server writes. The second time, little is left. */
const first = ["PRAGMA wal_checkpoint(PASSIVE)", "PRAGMA wal_checkpoint(PASSIVE)"] as const;
/**
 * Copies the rest while nothing is written, and restarts the log with a commit that changes nothing. The first commit after a
 * copy shortens the log and syncs its header, whatever `synchronous` is. In the server, it would block for 10 to 130 ms.
 * @param checkpoint `FULL` keeps the file of the log, which is written again; `TRUNCATE` gives its space back to the disk
 */
const last = (checkpoint: "FULL" | "TRUNCATE") => [
  `PRAGMA wal_checkpoint(${checkpoint})`,
  `PRAGMA journal_size_limit = ${logBytesKept}`,
  // A field of the header that nothing uses: SQLite writes it even if it has this value.
  "PRAGMA application_id = 0",
];

type Copied = Pick<Database, "path" | "holdWrites">;

/** Copies the write-ahead log into the file in another thread, also while the server writes, and restarts it. */
export const copyLog = (database: Copied): Promise<void> => copyThen(database, last("FULL"));

/** Does the same, and truncates the log to one page unless somebody reads from it. */
const truncateLog = (database: Copied): Promise<void> => copyThen(database, last("TRUNCATE"));

async function copyThen({ path, holdWrites }: Copied, statements: readonly string[]): Promise<void> {
  await startFileTask(path, ...first).result;
  const locked = await holdWrites(async () => {
    try {
      await startFileTask(path, ...statements).result;
      return undefined;
    } catch (error) {
      // Another process writes. That is no incident, because no change was rejected.
      if (isBusy(error)) return error;
      throw error;
    }
  });
  if (locked !== undefined) throw locked;
}

/** Returns the number of pages in the log, in less than 1 µs. */
function logPages(sqlite: Database["sqlite"]): number {
  return sqlite.query<{ log: number }, []>("PRAGMA wal_checkpoint(NOOP)").get()!.log;
}

/**
 * Copies the write-ahead log into the file in another thread. Otherwise, SQLite does it within the commit that follows
 * 1,000 pages, and everybody waits for two synchronizations with the disk.
 */
export function createCheckpoints(
  { sqlite, path, file, holdWrites }: Pick<Database, "sqlite" | "path" | "file" | "holdWrites">,
  log: Log,
  pages = defaultPages,
) {
  let running = false;
  let copying: Promise<void> | undefined;
  let pagesBefore = 0;
  let dueAtPages = pages;

  function isDue(): boolean {
    const present = logPages(sqlite);
    if (present < pagesBefore) dueAtPages = pages;
    pagesBefore = present;
    if (present < dueAtPages || copying !== undefined || file?.change() !== undefined) return false;
    // While somebody reads from the log, it cannot restart, and copying it for each commit would not help.
    dueAtPages = present + pages;
    return true;
  }

  function drop(error: unknown): void {
    if (!isBusy(error)) logDropped(log, error, "database.housekeeping_failed");
  }

  return {
    /** From now on, SQLite copies only a log with which the thread cannot keep up. */
    start() {
      running = true;
      sqlite.run(`PRAGMA wal_autocheckpoint = ${logPagesMax}`);
    },

    /** Call it after each commit. */
    committed() {
      if (!running) return;
      try {
        if (!isDue()) return;
        copying = copyLog({ path, holdWrites })
          .catch(drop)
          .finally(() => (copying = undefined));
      } catch (error) {
        drop(error);
      }
    },

    /** Resolves when no thread uses the file. From then on, SQLite copies the log as usual. */
    async stop() {
      if (!running) return;
      running = false;
      sqlite.run(`PRAGMA wal_autocheckpoint = ${pagesUsually}`);
      await copying;
    },
  };
}
