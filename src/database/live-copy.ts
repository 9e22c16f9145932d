import { closeSync, createReadStream, fstatSync, openSync, rmSync } from "node:fs";
import { Readable } from "node:stream";
import { badRequest, messageOf } from "../lib/errors.ts";
import type { FillRandom } from "../lib/ids.ts";
import type { Database } from "./database.ts";

// As text, for a worker of its own: SQLite copies in one go, and a server must answer meanwhile. An address
// of a source file would be another one in the executable.
const workerSource = `
import { Database } from "bun:sqlite";
self.onmessage = ({ data: { path, target } }) => {
  try {
    const database = new Database(path, { readonly: true });
    database.run("PRAGMA busy_timeout = 10000");
    database.run("VACUUM INTO ?", [target]);
    database.close();
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
 * Makes consistent copies of a database that is in use, as streams. A copy is written beside the database
 * first, where there is room for it or nowhere, and is gone from the folder before its first byte is read.
 * One is made at a time.
 * @throws PublicError `bad_request`: one is being made already
 */
export function createLiveCopies({
  database,
  fillRandom,
}: {
  database: Database;
  fillRandom: FillRandom;
}): () => Promise<LiveCopy> {
  let underWay = false;
  return async () => {
    if (underWay) throw badRequest("A copy is being made already; try again once it is there.");
    underWay = true;
    try {
      const random = new Uint8Array(8);
      fillRandom(random);
      return await openCopy(database, `copy-${Buffer.from(random).toString("hex")}`);
    } finally {
      underWay = false;
    }
  };
}

/** @param name of the file meanwhile: one that nobody else takes */
async function openCopy({ path, sqlite }: Database, name: string): Promise<LiveCopy> {
  if (path === ":memory:") {
    const bytes = sqlite.serialize();
    return { bytes: bytes.byteLength, stream: new Blob([new Uint8Array(bytes)]).stream() };
  }
  const target = `${path}.${name}`;
  try {
    // For its owner's eyes only; SQLite fills an empty file.
    closeSync(openSync(target, "wx", 0o600));
    await copyInWorker(path, target);
    const file = openSync(target, "r");
    const stream = createReadStream(target, { fd: file, autoClose: true });
    return {
      bytes: fstatSync(file).size,
      stream: Readable.toWeb(stream) as unknown as ReadableStream<Uint8Array>,
    };
  } finally {
    // What is open can still be read (POSIX unlink).
    rmSync(target, { force: true });
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
    if (failure !== null) throw new Error(`the database could not be copied: ${failure}`);
  } finally {
    worker.terminate();
    URL.revokeObjectURL(address);
  }
}
