import { Database as Sqlite } from "bun:sqlite";
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { StartError } from "../lib/errors.ts";
import { explain, isBusy } from "./files/errors.ts";
import { requireOneName } from "./files/open-file.ts";
import { withConnection } from "./files/with-connection.ts";
import { completePendingRestore, removeLeftovers } from "./files/pending-restore.ts";
import { findFileHolder } from "./lock-watch.ts";

const copiesPurpose = "copies.lock";
/** Longer than a server that starts takes to delete copies. */
const copiesWaitMs = 10_000;

/** Lock that one process holds. Keep a reference: garbage collection releases it. */
export interface Lock extends Disposable {
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
      // Commands make backups without the lock for serving.
      const copies = tryLock(path, copiesPurpose);
      removeLeftovers(path, { copies: copies !== undefined });
      copies?.release();
    }
    return lock;
  }
  throw new StartError(describeHolder(path));
}

/** A holder that is not known, such as one in another container, is most likely a server. */
function describeHolder(path: string): string {
  const file = lockFile(path, "lock");
  const holder = findFileHolder(file);
  if (holder === undefined || /^phishwatch\b/.test(holder.command)) {
    const pid = holder === undefined ? "" : ` (process ${holder.pid})`;
    return `another phishwatch is already serving ${path}${pid}; stop it, or set storage.path to another file`;
  }
  return (
    `another process holds the lock of ${path}: ${holder.command} (process ${holder.pid}), which is no phishwatch, ` +
    `has locked ${file}; end that process`
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
  return acquire(path, purpose, { busyTimeoutMs: 0, take: (lock) => lock.run("BEGIN EXCLUSIVE") });
}

/**
 * Acquires the lock for having temporary copies next to the database at `path`: while any process holds it, a server
 * that starts deletes no copy. Several can hold it.
 * @throws StartError if it cannot be acquired
 */
export function lockCopies(path: string): Lock {
  const take = (lock: Sqlite) => {
    lock.run("BEGIN");
    // The first query acquires the shared lock.
    lock.query("SELECT count(*) FROM sqlite_master").get();
  };
  const lock = acquire(path, copiesPurpose, { busyTimeoutMs: copiesWaitMs, take });
  if (lock !== undefined) return lock;
  throw new StartError(`lock file ${path}.${copiesPurpose}: another process holds it`);
}

function acquire(
  path: string,
  purpose: string,
  { busyTimeoutMs, take }: { busyTimeoutMs: number; take: (lock: Sqlite) => void },
): Lock | undefined {
  if (path === ":memory:") return lockOf(() => {});
  let lock: Sqlite | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const file = lockFile(path, purpose);
    keepPrivate(file);
    lock = new Sqlite(file, { create: true, readwrite: true });
    lock.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    lock.run("PRAGMA journal_mode = MEMORY");
    take(lock);
  } catch (cause) {
    lock?.close();
    if (isBusy(cause)) return undefined;
    throw new StartError(`lock file ${path}.${purpose}: ${explain(cause, path)}`, { cause });
  }
  const held = lock;
  return lockOf(() => held.close());
}

function lockOf(release: () => void): Lock {
  return { release, [Symbol.dispose]: release };
}

/**
 * Returns whether a server uses the database at `path`, without creating or changing a file. Undefined: the lock file
 * cannot be read by this user.
 */
export function isServed(path: string): boolean | undefined {
  if (path === ":memory:" || !existsSync(dirname(path))) return false;
  const file = lockFile(path, "lock");
  if (!existsSync(file)) return false;
  try {
    return withConnection(file, { readonly: true }, (lock) => {
      lock.run("PRAGMA busy_timeout = 0");
      lock.query("SELECT count(*) FROM sqlite_master").get();
      return false;
    });
  } catch (error) {
    return isBusy(error) ? true : undefined;
  }
}

/** A user who can read the file can lock it, and thereby keep the server from starting. SQLite fills an empty file. */
function keepPrivate(file: string): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  // An existing file is not opened: closing a descriptor would release a lock of this process (POSIX).
  if (mode === undefined) closeSync(openSync(file, "a", 0o600));
  else if ((mode & 0o077) !== 0) {
    try {
      chmodSync(file, 0o600);
    } catch {
      // Another user's file: whether it can be locked is found out next.
    }
  }
}

/** Resolves symbolic links, so that a file has one lock. */
function lockFile(path: string, purpose: string): string {
  const real = existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path));
  return `${real}.${purpose}`;
}
