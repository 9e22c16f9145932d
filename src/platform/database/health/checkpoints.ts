import { logDropped, type Log } from "../../lib/log.ts";
import type { Database } from "../database.ts";
import { isBusy } from "../files/sqlite-error.ts";
import { logBytesKept, logPagesMax } from "../pragmas.ts";
import { startFileTask } from "../files/file-worker.ts";

/** Size of the log from which it is copied, 16 MiB: starting a thread takes 4 ms, and a page that changes often is copied once. */
const defaultPages = 4_096;
/** Number of pages from which SQLite copies the log without a server. */
const pagesUsually = 1_000;

/** Copies what is there while the server writes. The second time, little is left. */
const first = ["PRAGMA wal_checkpoint(PASSIVE)", "PRAGMA wal_checkpoint(PASSIVE)"] as const;
/**
 * Copies the rest while nobody writes, and restarts the log with a commit that changes nothing. The first commit after a
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
export const truncateLog = (database: Copied): Promise<void> => copyThen(database, last("TRUNCATE"));

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
export function createCheckpoints({
  database: { sqlite, path, file, holdWrites },
  log,
  pages = defaultPages,
}: {
  database: Pick<Database, "sqlite" | "path" | "file" | "holdWrites">;
  log: Log;
  pages?: number;
}) {
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
