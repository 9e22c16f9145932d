import { closeSync, createReadStream, fstatSync, openSync } from "node:fs";
import { Readable } from "node:stream";
import { badRequest, messageOf } from "../lib/errors.ts";
import type { Database } from "./database.ts";
import { DatabaseFileChangedError } from "./files/file-change.ts";
import { newCopyPath, removeDatabase } from "./files/leftovers.ts";
import { openFileThread, startFileTask } from "./files/file-worker.ts";
import type { Needs } from "./needs.ts";

/** Another connection may have to restore the index of the write-ahead log first. */
const busyTimeoutMs = 10_000;

export interface LiveCopy {
  bytes: number;
  stream: ReadableStream<Uint8Array>;
}

/**
 * Creates consistent copies of a database in use, as streams. A copy is first written next to the database and is
 * unlinked before its first byte is read. Only one copy is created at a time.
 * @throws PublicError `bad_request` if another copy is being created.
 */
export function createLiveCopies({
  database,
  fillRandom,
}: Needs<"database" | "fillRandom">): () => Promise<LiveCopy> {
  let isCopying = false;
  return async () => {
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

/** Copies in another thread: SQLite does it in one call, and the server must keep responding. As in `backup.ts`. */
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
