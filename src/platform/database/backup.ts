import { Database as Sqlite } from "bun:sqlite";
import { withConnection } from "./files/with-connection.ts";
import { readPragma } from "./pragmas.ts";
import {
  closeSync,
  createReadStream,
  existsSync,
  fstatSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname } from "node:path";
import { badRequest, messageOf, StartError, codeOf } from "../lib/errors.ts";
import { syncToDisk } from "../lib/disk.ts";
import { explain, isBusy } from "./files/errors.ts";
import { asideEnding, DatabaseFileChangedError } from "./files/open-file.ts";
import { statePathOf } from "./files/state-file.ts";
import { incomingEnding, newCopyPath, removeDatabase, sideFileEndings } from "./files/pending-restore.ts";
import { migrateDatabase } from "./migrate.ts";
import { Readable } from "node:stream";
import type { Database } from "./database.ts";
import { openFileThread, startFileTask } from "./files/file-worker.ts";
import type { Needs } from "./needs.ts";

/** Another connection may have to restore the index of the write-ahead log first. */
const busyTimeoutMs = 10_000;

/**
 * Writes a consistent copy of the database to a new file that only its owner can read. A server may write in the
 * meantime: the copy is the state of one moment.
 * @throws StartError with a message for the operator.
 */
export function copyDatabase(path: string, target: string): void {
  if (!existsSync(path)) throw new StartError(`${path} does not exist`);
  let created = false;
  try {
    // SQLite fills an empty file. Creating it first sets its permissions and ensures that nothing is overwritten.
    closeSync(openSync(target, "wx", 0o600));
    created = true;
    fillCopy(path, target);
  } catch (error) {
    if (created) removeDatabase(target);
    const code = codeOf(error);
    if (code === "EEXIST") throw new StartError(`${target} already exists; choose another file`);
    if (code === "ENOENT") throw new StartError(`cannot write ${target}: its folder does not exist`);
    throw new StartError(`cannot copy ${path} to ${target}: ${explain(error)}`, { cause: error });
  }
}

function fillCopy(path: string, target: string): void {
  withConnection(path, { readonly: true }, (source) => {
    source.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    // The copy of a database of an earlier version can release free space. For others, SQLite would write here.
    if (readPragma(source, "auto_vacuum") === 0) source.run("PRAGMA auto_vacuum = INCREMENTAL");
    source.run("VACUUM INTO ?", [target]);
  });
  unmark(target);
  // VACUUM INTO does not sync the file (https://www.sqlite.org/lang_vacuum.html#vacuuminto).
  for (const file of [target, dirname(target)]) syncToDisk(file);
}

/** Deletes the marker of the server that has the original open: it must recognize a copy that replaces its file. */
export function unmark(target: string): void {
  withConnection(target, { readwrite: true }, (copy) => copy.run("PRAGMA user_version = 0"));
}

/**
 * Replaces the database with a backup. The caller must hold the lock for serving. The backup is copied, checked and
 * migrated next to the database first, so that nothing is changed before it is known to be good.
 * @param stamp time as a part of the name under which the current database is kept.
 * @param adapt changes the copy before it replaces the database.
 * @throws StartError with a message for the operator.
 */
export function restoreDatabase(
  copy: string,
  path: string,
  stamp: string,
  adapt: (incoming: Sqlite) => void = () => {},
): { keptAs: string | undefined } {
  return replaceDatabase(path, stamp, (incoming) => {
    copyDatabase(copy, incoming);
    adoptDatabase(incoming, copy, adapt);
  });
}

/**
 * Replaces the database with one that `create` writes to a new file. The caller must hold the lock for serving. A process
 * that is killed leaves either the old or the new one.
 * @param stamp time as a part of the name under which the current database is kept.
 */
export function replaceDatabase(
  path: string,
  stamp: string,
  create: (incoming: string) => void,
): { keptAs: string | undefined } {
  const incoming = path + incomingEnding;
  removeDatabase(incoming);
  try {
    create(incoming);
    const keptAs = keepAside(path, stamp);
    for (const ending of sideFileEndings) rmSync(path + ending, { force: true });
    rmSync(statePathOf(path), { force: true });
    renameSync(incoming, path);
    syncToDisk(dirname(path));
    return { keptAs };
  } finally {
    removeDatabase(incoming);
  }
}

/**
 * Keeps the database under a second name, if there is one. The caller holds the lock for serving.
 * @param stamp time as a part of the name
 * @throws StartError with a message for the operator
 */
export function keepAside(path: string, stamp: string): string | undefined {
  if (!existsSync(path)) return undefined;
  checkpointLog(path);
  return linkAside(path, stamp);
}

/**
 * Adds a second name for the file, so that a database exists at its path at every moment.
 * @returns the name: a second restore within a second gets another one
 */
function linkAside(path: string, stamp: string): string {
  for (let number = 1; ; number++) {
    const aside = `${path}${asideEnding}${stamp}${number === 1 ? "" : `-${number}`}`;
    try {
      linkSync(path, aside);
      return aside;
    } catch (error) {
      if (codeOf(error) !== "EEXIST")
        throw new StartError(`cannot keep ${path} as ${aside}: ${explain(error, path)}`, { cause: error });
    }
  }
}

/**
 * Checks and migrates a database that is to replace another one. Everything is in the file then.
 * @param copy name of its origin, for messages
 * @param adapt changes it
 * @throws StartError with a message for the operator
 */
export function adoptDatabase(incoming: string, copy: string, adapt: (incoming: Sqlite) => void): void {
  const sqlite = new Sqlite(incoming, { readwrite: true, strict: true });
  try {
    const [first] = sqlite.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all();
    if (first?.integrity_check !== "ok")
      throw new StartError(`${copy} is damaged: ${first?.integrity_check ?? "no result"}`);
    if (!isOurs(sqlite)) throw new StartError(`${copy} is not a database of phishwatch`);
    migrateDatabase(sqlite);
    adapt(sqlite);
    sqlite.run("PRAGMA journal_mode = DELETE");
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`${copy}: ${explain(error)}`, { cause: error });
  } finally {
    sqlite.close();
  }
}

/** Returns whether a file can be read as a database of phishwatch. */
export function isDatabase(path: string): boolean {
  try {
    return withConnection(path, { readonly: true }, isOurs);
  } catch {
    return false;
  }
}

function isOurs(sqlite: Sqlite): boolean {
  const migrations = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '__drizzle_migrations'";
  return sqlite.query(migrations).get() !== null;
}

/**
 * Checkpoints the write-ahead log into the file that is kept, which requires that no other process has the database open.
 * A damaged database is kept as it is: damage is the reason to restore.
 */
function checkpointLog(path: string): void {
  try {
    withConnection(path, { readwrite: true }, (sqlite) => sqlite.run("PRAGMA journal_mode = DELETE"));
  } catch (cause) {
    if (!isBusy(cause)) return;
    throw new StartError(`another command is using ${path}; try again when it has finished`, { cause });
  }
}

export interface LiveCopy {
  bytes: number;
  stream: ReadableStream<Uint8Array>;
}

/**
 * Creates consistent copies of a database in use, as streams. A copy is first written next to the database and is
 * unlinked before its first byte is read. Only one copy is created at a time.
 * @throws PublicError `bad_request` if another copy is being created.
 */
export function createLiveCopies({ database, fillRandom }: Needs<"database" | "fillRandom">) {
  let isCopying = false;
  return async (): Promise<LiveCopy> => {
    if (isCopying) throw badRequest("Another copy is being created. Try again when it has finished.");
    isCopying = true;
    try {
      return await openCopy(database, newCopyPath(database.path, fillRandom));
    } finally {
      isCopying = false;
    }
  };
}

/** @param target path of the temporary file */
async function openCopy({ path, sqlite, file }: Database, target: string): Promise<LiveCopy> {
  if (path === ":memory:") {
    const bytes = sqlite.serialize();
    return { bytes: bytes.byteLength, stream: new Blob([new Uint8Array(bytes)]).stream() };
  }
  // The copy would be of another file.
  const change = file?.change();
  if (change !== undefined) throw new DatabaseFileChangedError(change);
  try {
    // Creating the file first sets its permissions; SQLite fills an empty file.
    closeSync(openSync(target, "wx", 0o600));
    await copyInThread(path, target);
    const descriptor = openSync(target, "r");
    const stream = createReadStream(target, { fd: descriptor, autoClose: true });
    return {
      bytes: fstatSync(descriptor).size,
      stream: Readable.toWeb(stream) as unknown as ReadableStream<Uint8Array>,
    };
  } finally {
    // An open file stays readable after unlink (POSIX).
    removeDatabase(target);
  }
}

/** Copies in another thread: SQLite does it in one call, and the server must keep responding. Does what `fillCopy` does. */
async function copyInThread(path: string, target: string): Promise<void> {
  const thread = openFileThread(path);
  try {
    await thread.query(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    const [[mode] = []] = await thread.query("PRAGMA auto_vacuum");
    if (mode === 0) await thread.query("PRAGMA auto_vacuum = INCREMENTAL");
    await thread.query("VACUUM INTO ?", target);
  } catch (error) {
    throw new Error(`cannot copy the database: ${messageOf(error)}`, { cause: error });
  } finally {
    await thread.close();
  }
  // Deletes the marker of the running server: it must recognize a copy that replaces its file.
  await startFileTask(target, "PRAGMA user_version = 0").result;
}
