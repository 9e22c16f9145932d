import { messageOf } from "../../lib/errors.ts";

/** Runs one statement, and returns the values of its rows. */
export type Query = (sql: string, ...parameters: (string | number)[]) => Promise<unknown[][]>;

// Source text of a worker: SQLite reads the whole file in one call, and the server must keep responding. A file would
// have another path in the executable.
const workerSource = `
import { Database } from "bun:sqlite";
let database;
self.onmessage = ({ data: { path, sql, parameters } }) => {
  try {
    if (sql === undefined) {
      database?.close();
      return postMessage({});
    }
    if (database === undefined) {
      database = new Database(path, { readwrite: true, create: false });
      database.run("PRAGMA busy_timeout = 0");
      database.run("PRAGMA temp_store = MEMORY");
      database.run("PRAGMA cache_size = -16384");
    }
    const statement = database.prepare(sql);
    try {
      postMessage({ rows: statement.values(...parameters) });
    } finally {
      statement.finalize();
    }
  } catch (error) {
    postMessage({ error: String(error?.message ?? error), code: error?.code });
  }
};`;

/** A thread with a connection of its own. */
export type FileThread = ReturnType<typeof openFileThread>;

/** Starts a thread that opens the database at `path` with the first query. Close it. */
export function openFileThread(path: string) {
  const address = URL.createObjectURL(new Blob([workerSource], { type: "application/javascript" }));
  const worker = new Worker(address);
  let running = Promise.withResolvers<unknown[][]>();
  let isCancelled = false;
  worker.onmessage = ({ data }) => {
    const { rows = [], error, code } = data as { rows?: unknown[][]; error?: string; code?: string };
    if (error === undefined) running.resolve(rows);
    else running.reject(Object.assign(new Error(error), { code }));
  };
  worker.onerror = (event) => running.reject(new Error(messageOf(event.message)));

  /** Rejects with SQLite's code if the database cannot be used, or after `cancel`. Await one call before the next. */
  const query: Query = (sql, ...parameters) => {
    running = Promise.withResolvers();
    if (isCancelled) running.reject(new Error("cancelled"));
    else worker.postMessage({ path, sql, parameters });
    return running.promise;
  };

  return {
    query,

    /** Rejects the query that runs, whose result is not awaited. */
    cancel() {
      isCancelled = true;
      running.reject(new Error("cancelled"));
    },

    /** Closes the connection and ends the thread. */
    async close() {
      // The connection first, unless a statement is still running in it.
      if (!isCancelled) {
        running = Promise.withResolvers();
        worker.postMessage({});
        await running.promise.catch(() => {});
      }
      worker.terminate();
      URL.revokeObjectURL(address);
    },
  };
}

/** A long read or write of the database file in another thread. */
export type FileTask = ReturnType<typeof startFileTask>;

/**
 * Starts a thread that opens the database at `path` and runs the statements in their order, such as:
 * - `PRAGMA quick_check(1)`: returns "ok" or the first thing that is wrong
 * - `PRAGMA wal_checkpoint(PASSIVE)`: copies what it can from the write-ahead log into the file, and never waits
 * @param statements without variable parts
 */
export function startFileTask(path: string, ...statements: readonly string[]) {
  const thread = openFileThread(path);
  /** Resolves with the first value of the result of the last statement. Rejects with SQLite's code if the database cannot be used, or after `cancel`. */
  const run = async (): Promise<unknown> => {
    try {
      let rows: unknown[][] = [];
      for (const sql of statements) rows = await thread.query(sql);
      return rows[0]?.[0] ?? null;
    } finally {
      await thread.close();
    }
  };
  return { result: run(), cancel: thread.cancel };
}
