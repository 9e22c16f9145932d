import { messageOf } from "../../lib/errors.ts";

// Source text of a worker: SQLite reads the whole file in one call, and the server must keep responding. A file would
// have another path in the executable.
const workerSource = `
import { Database } from "bun:sqlite";
self.onmessage = ({ data: { path, statements } }) => {
  try {
    const database = new Database(path, { readwrite: true, create: false });
    let row;
    try {
      database.run("PRAGMA busy_timeout = 0");
      for (const statement of statements) [row] = database.query(statement).all();
    } finally {
      // First, because the thread may be ended as soon as it has replied.
      database.close();
    }
    postMessage({ value: row === undefined ? null : Object.values(row)[0] });
  } catch (error) {
    postMessage({ error: String(error?.message ?? error), code: error?.code });
  }
};`;

/** A long read or write of the database file in another thread. */
export interface FileTask {
  /** Resolves with the first value of the result of the last statement. Rejects with SQLite's code if the database cannot be used, or after `cancel`. */
  readonly result: Promise<unknown>;
  cancel(): void;
}

/**
 * Starts a thread that opens the database at `path` and runs the statements in their order, such as:
 * - `PRAGMA quick_check(1)`: returns "ok" or the first thing that is wrong
 * - `PRAGMA wal_checkpoint(PASSIVE)`: copies what it can from the write-ahead log into the file, and never waits
 * @param statements without variable parts
 */
export function startFileTask(path: string, ...statements: readonly string[]): FileTask {
  const address = URL.createObjectURL(new Blob([workerSource], { type: "application/javascript" }));
  const worker = new Worker(address);
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  worker.onmessage = ({ data }) => {
    const { value, error, code } = data as { value?: unknown; error?: string; code?: string };
    if (error === undefined) resolve(value);
    else reject(Object.assign(new Error(error), { code }));
  };
  worker.onerror = (event) => reject(new Error(messageOf(event.message)));
  worker.postMessage({ path, statements });
  const release = () => {
    worker.terminate();
    URL.revokeObjectURL(address);
  };
  return {
    result: promise.finally(release),
    cancel: () => reject(new Error("cancelled")),
  };
}
