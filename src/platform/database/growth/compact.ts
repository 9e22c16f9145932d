import type { Database } from "../database.ts";
import { truncateLogNow } from "../health/housekeeping.ts";
import { canReleasePages, readPragma } from "../pragmas.ts";

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
