import { closeSync, createReadStream, fstatSync, openSync } from "node:fs";
import { Readable } from "node:stream";
import { badRequest, messageOf } from "../lib/errors.ts";
import type { FillRandom } from "../lib/ids.ts";
import type { Database } from "./database.ts";
import { DatabaseFileChangedError } from "./files/file-change.ts";
import { newCopyPath, removeDatabase } from "./files/leftovers.ts";

// Source text of a worker: SQLite copies in one call, and the server must keep responding. A file would have another
// path in the executable.
const workerSource = `
import { Database } from "bun:sqlite";
self.onmessage = ({ data: { path, target } }) => {
  try {
    const database = new Database(path, { readonly: true });
    database.run("PRAGMA busy_timeout = 10000");
    // As in backup.ts: the copy can release free space.
    if (database.query("PRAGMA auto_vacuum").get().auto_vacuum === 0)
      database.run("PRAGMA auto_vacuum = INCREMENTAL");
    database.run("VACUUM INTO ?", [target]);
    database.close();
    // Deletes the marker of the running server: it must recognize a copy that replaces its file.
    const copy = new Database(target, { readwrite: true });
    copy.run("PRAGMA user_version = 0");
    copy.close();
    postMessage(null);
  } catch (error) {
    postMessage(String(error?.message ?? error));
  }
};`;

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
}: {
  database: Database;
  fillRandom: FillRandom;
}): () => Promise<LiveCopy> {
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
    await copyInWorker(path, target);
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

async function copyInWorker(path: string, target: string): Promise<void> {
  const address = URL.createObjectURL(new Blob([workerSource], { type: "application/javascript" }));
  const worker = new Worker(address);
  try {
    const failure = await new Promise<string | null>((resolve) => {
      worker.onmessage = ({ data }) => resolve(data as string | null);
      worker.onerror = (event) => resolve(messageOf(event.message));
      worker.postMessage({ path, target });
    });
    if (failure !== null) throw new Error(`cannot copy the database: ${failure}`);
  } finally {
    worker.terminate();
    URL.revokeObjectURL(address);
  }
}
