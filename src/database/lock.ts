import { Database as Sqlite } from "bun:sqlite";
import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { StartError } from "../lib/errors.ts";
import { explain } from "./database.ts";
import { isBusy } from "./sqlite-error.ts";

/** Held by one process, which has to keep it: what is collected is closed and free. */
export interface Lock {
  release(): void;
}

/**
 * Takes the right to serve the database at `path`. The command line does not need it; it writes beside a
 * running server.
 * @throws StartError when another process holds it, or it cannot be written.
 */
export function takeServeLock(path: string): Lock {
  const lock = tryLock(path, "lock");
  if (lock !== undefined) return lock;
  throw new StartError(
    `another phishwatch is already serving ${path}; stop it, or set storage.path to another file`,
    { exitCode: 1 },
  );
}

/**
 * Takes a right over the database at `path` that one process at a time may have; undefined when another has
 * it. The lock is the operating system's, by way of a second SQLite file beside the database, so it ends with
 * the process however that ends: no stale lock to clear. What is in memory is nobody else's.
 * @param purpose ending of the file
 * @throws StartError when it cannot be written.
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
    throw new StartError(`lock file ${path}.${purpose}: ${explain(cause)}`, { exitCode: 1, cause });
  }
  const held = lock;
  return { release: () => held.close() };
}

/** One file has one lock, by whatever links it is reached. */
function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path));
}
