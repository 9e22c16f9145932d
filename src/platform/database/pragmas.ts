import type { Database as Sqlite } from "bun:sqlite";

/** Number of pages from which SQLite copies the log of a server itself; see `health/checkpoints.ts`. */
export const logPagesMax = 65_536;
/** After a reader has kept the write-ahead log from being copied into the file, it is cut to this size. */
export const logBytesKept = 16 << 20;

/** Returns the value of a pragma that is a number, such as `freelist_count`. */
export function readPragma(sqlite: Sqlite, name: string): number {
  return Number(Object.values(sqlite.query(`PRAGMA ${name}`).get() as object)[0]);
}

/** Runs `work`, which fails at once if the lock that it needs is not free. */
export function withoutWaiting<Result>(sqlite: Sqlite, work: () => Result): Result {
  const timeoutMs = readPragma(sqlite, "busy_timeout");
  sqlite.run("PRAGMA busy_timeout = 0");
  try {
    return work();
  } finally {
    sqlite.run(`PRAGMA busy_timeout = ${timeoutMs}`);
  }
}

/** Whether the file can give free pages back to the disk. One that version 0.1.0 created cannot. */
export function canReleasePages(sqlite: Sqlite): boolean {
  const incremental = 2;
  return readPragma(sqlite, "auto_vacuum") === incremental;
}

/** Returns the bytes of the pages that contain nothing. */
export function freePageBytes(sqlite: Sqlite): number {
  return readPragma(sqlite, "freelist_count") * readPragma(sqlite, "page_size");
}
