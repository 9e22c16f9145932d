import { logDropped, type Log } from "../../lib/log.ts";
import type { Database } from "../database.ts";
import { isBusy } from "../files/sqlite-error.ts";
import { startFileTask } from "./file-worker.ts";

/**
 * Copies the write-ahead log into the file in another thread. Otherwise, SQLite does it within the commit that follows
 * 1,000 pages, and everybody waits for two synchronizations with the disk.
 */
export interface Checkpoints {
  start(): void;
  /** Call it after each commit. */
  committed(): void;
  /** Resolves when no thread uses the file. From then on, SQLite copies the log as usual. */
  stop(): Promise<void>;
}

/** Size of the log from which it is copied, 16 MiB: starting a thread takes 4 ms, and a page that changes often is copied once. */
const defaultPages = 4_096;
/**
 * Limit for a log that the thread cannot keep up with, or for which no thread can be started: SQLite then copies the rest
 * itself.
 */
const pagesMax = 16_384;
/** Limit of SQLite. */
const pagesUsually = 1_000;

/**
 * The first two copy what is there while the server writes. Then little is left for the last one, which keeps others
 * from writing until the whole log is copied: the next commit restarts it.
 */
const steps = [
  "PRAGMA wal_checkpoint(PASSIVE)",
  "PRAGMA wal_checkpoint(PASSIVE)",
  "PRAGMA busy_timeout = 20",
  "PRAGMA wal_checkpoint(FULL)",
] as const;

export function createCheckpoints({
  database: { sqlite, path, file },
  log,
  pages = defaultPages,
}: {
  database: Pick<Database, "sqlite" | "path" | "file">;
  log: Log;
  pages?: number;
}): Checkpoints {
  /** Takes less than 1 µs. */
  const measure = sqlite.prepare<{ log: number }, []>("PRAGMA wal_checkpoint(NOOP)");
  let running = false;
  let copying: Promise<void> | undefined;
  let pagesBefore = 0;
  let dueAtPages = pages;

  function isDue(): boolean {
    const { log: present } = measure.get()!;
    if (present < pagesBefore) dueAtPages = pages;
    pagesBefore = present;
    if (present < dueAtPages || copying !== undefined || file?.change() !== undefined) return false;
    // While somebody reads from the log, it cannot restart, and copying it for each commit would not help.
    dueAtPages = present + pages;
    return true;
  }

  async function copy(): Promise<void> {
    const isBlocked = (await startFileTask(path, ...steps).result) !== 0;
    // Under load, the thread may not find a moment without a writer. Here, there is none.
    if (isBlocked && running) sqlite.run("PRAGMA wal_checkpoint(PASSIVE)");
  }

  function drop(error: unknown): void {
    if (!isBusy(error)) logDropped(log, error, "database.housekeeping_failed");
  }

  return {
    start() {
      running = true;
      sqlite.run(`PRAGMA wal_autocheckpoint = ${pagesMax}`);
    },
    committed() {
      if (!running) return;
      try {
        if (!isDue()) return;
        copying = copy()
          .catch(drop)
          .finally(() => (copying = undefined));
      } catch (error) {
        drop(error);
      }
    },
    async stop() {
      if (!running) return;
      running = false;
      sqlite.run(`PRAGMA wal_autocheckpoint = ${pagesUsually}`);
      await copying;
    },
  };
}
