import { Database as Sqlite } from "bun:sqlite";
import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { StartError } from "../lib/errors.ts";
import { explain } from "./files/explain.ts";
import { requireOneName } from "./files/open-file.ts";
import { removeLeftovers } from "./files/leftovers.ts";
import { completePendingRestore } from "./files/pending-restore.ts";
import { isBusy } from "./files/sqlite-error.ts";

/** Lock that one process holds. Keep a reference: garbage collection releases it. */
export interface Lock {
  release(): void;
}

/**
 * Acquires the lock for serving the database at `path`. Commands do not need it: they write while a server runs.
 * Completes a restore that was killed, and deletes what killed backups and restores left.
 * @throws StartError if another process holds it, if it cannot be written, or if the database has a hard link.
 */
export function takeServeLock(path: string): Lock {
  if (path !== ":memory:") requireOneName(path);
  const lock = tryLock(path, "lock");
  if (lock !== undefined) {
    if (path !== ":memory:") {
      completePendingRestore(path);
      removeLeftovers(path);
    }
    return lock;
  }
  throw new StartError(
    `another phishwatch is already serving ${path}; stop it, or set storage.path to another file`,
    { exitCode: 1 },
  );
}

/**
 * Acquires an exclusive lock on the database at `path`, or returns undefined if another process holds it. The
 * operating system holds the lock, through a second SQLite file next to the database, so it ends with the process in
 * every case, and no stale lock remains. A database in memory needs none.
 * @param purpose suffix of the lock file.
 * @throws StartError if it cannot be written.
 */
export function tryLock(path: string, purpose: string): Lock | undefined {
  if (path === ":memory:") return { release: () => {} };
  let lock: Sqlite | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    lock = new Sqlite(`${realPath(path)}.${purpose}`, { create: true, readwrite: true });
    lock.run("PRAGMA busy_timeout = 0");
    lock.run("PRAGMA journal_mode = MEMORY");
    lock.run("BEGIN EXCLUSIVE");
  } catch (cause) {
    lock?.close();
    if (isBusy(cause)) return undefined;
    throw new StartError(`lock file ${path}.${purpose}: ${explain(cause, path)}`, { exitCode: 1, cause });
  }
  const held = lock;
  return { release: () => held.close() };
}

/**
 * Returns whether a server uses the database at `path`, without creating or changing a file. Undefined: the lock file
 * cannot be read by this user.
 */
export function isServed(path: string): boolean | undefined {
  if (path === ":memory:" || !existsSync(dirname(path))) return false;
  const file = `${realPath(path)}.lock`;
  if (!existsSync(file)) return false;
  let lock: Sqlite | undefined;
  try {
    lock = new Sqlite(file, { readonly: true });
    lock.run("PRAGMA busy_timeout = 0");
    lock.query("SELECT count(*) FROM sqlite_master").get();
    return false;
  } catch (error) {
    return isBusy(error) ? true : undefined;
  } finally {
    lock?.close();
  }
}

/** Resolves symbolic links, so that a file has one lock. */
function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path));
}
