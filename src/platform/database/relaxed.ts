import type { Database } from "./database.ts";

/**
 * Runs `work` in a transaction that does not wait for the disk: it survives the end of the process, but until the next
 * synced commit not a power failure. For work that would then be repeated anyway. Within a transaction, it joins
 * that one.
 */
export function relaxedTransaction<T>(
  database: Database,
  work: Parameters<typeof database.transaction<T>>[0],
): T {
  if (database.sqlite.inTransaction) return database.transaction(work);
  // In WAL mode, a later synced commit also makes this one durable: the log is one file, written in order.
  database.sqlite.run("PRAGMA synchronous = NORMAL");
  try {
    return database.transaction(work);
  } finally {
    database.sqlite.run("PRAGMA synchronous = FULL");
  }
}
