import { Database as Sqlite } from "bun:sqlite";
import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { StartError } from "../lib/errors.ts";
import { explain } from "./database.ts";

/** Held by the one process that serves a database, which has to keep it: what is collected is closed and free. */
export interface ServeLock {
  release(): void;
}

/**
 * Takes the right to serve the database at `path`. The lock is the operating system's, by way of a
 * second SQLite file beside it, so it ends with the process however that ends: no stale lock to clear.
 * The command line does not need it; it writes beside a running server.
 * @throws StartError when another process holds it, or it cannot be written.
 */
export function takeServeLock(path: string): ServeLock {
  if (path === ":memory:") return { release: () => {} };
  let lock: Sqlite | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    lock = new Sqlite(`${realPath(path)}.lock`, { create: true, readwrite: true });
    lock.run("PRAGMA busy_timeout = 0");
    lock.run("PRAGMA journal_mode = MEMORY");
    lock.run("BEGIN EXCLUSIVE");
  } catch (cause) {
    lock?.close();
    throw new StartError(refusal(path, cause), { exitCode: 1, cause });
  }
  const held = lock;
  return { release: () => held.close() };
}

/** One file has one lock, by whatever links it is reached. */
function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path));
}

function refusal(path: string, cause: unknown): string {
  return (cause as { code?: string }).code === "SQLITE_BUSY"
    ? `another phishwatch is already serving ${path}; stop it, or set storage.path to another file`
    : `lock file ${path}.lock: ${explain(cause)}`;
}
