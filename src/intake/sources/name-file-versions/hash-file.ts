import { open, rm, type FileHandle } from "node:fs/promises";
import { hashKeyBytes } from "./name-hash.ts";

/**
 * A file of hashes in ascending order: 8 bytes that name the format, the key of the hashes, their number, and the
 * hashes, all numbers as doubles in the order of the machine.
 */
const format = new TextEncoder().encode("pwhash01");
const headBytes = format.length + hashKeyBytes + 8;
const hashBytes = 8;
const blockHashes = 8_192;

export type HashFileWriter = Awaited<ReturnType<typeof createHashFile>>;

export async function createHashFile(path: string, key: Uint8Array) {
  const file = await open(path, "w", 0o600);
  const out = new Float64Array(blockHashes);
  let filled = 0;
  let count = 0;
  let isClosed = false;
  const flush = async () => {
    const bytes = new Uint8Array(out.buffer, 0, filled * hashBytes);
    await writeAll(file, bytes, headBytes + count * hashBytes);
    count += filled;
    filled = 0;
  };
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await file.close();
  };
  return {
    async write(hashes: Float64Array) {
      for (let from = 0; from < hashes.length;) {
        const part = hashes.subarray(from, from + blockHashes - filled);
        out.set(part, filled);
        filled += part.length;
        from += part.length;
        if (filled === blockHashes) await flush();
      }
    },

    /** Resolves when the file is on the disk. */
    async finish() {
      await flush();
      const head = new Uint8Array(headBytes);
      head.set(format);
      head.set(key, format.length);
      new DataView(head.buffer).setFloat64(format.length + hashKeyBytes, count, true);
      // Last, so that an incomplete file has no head.
      await writeAll(file, head, 0);
      await file.sync();
      await close();
    },
    async discard() {
      await close();
      await rm(path, { force: true });
    },
  };
}

/** Writes all bytes: the system may write fewer at once, for example when the disk is nearly full. */
export async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let from = 0; from < bytes.length;)
    from += (await file.write(bytes, from, bytes.length - from, position + from)).bytesWritten;
}

/** A file of hashes that is read once, from its start to its end. */
export type HashFile = NonNullable<Awaited<ReturnType<typeof openHashFile>>>;

/** Opens a file of hashes. Returns undefined if it is missing, incomplete or damaged. */
export async function openHashFile(path: string) {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch {
    return undefined;
  }
  const head = new Uint8Array(headBytes);
  const count = await readHead(file, head).catch(() => undefined);
  if (count === undefined) {
    await file.close();
    return undefined;
  }
  const block = new Float64Array(blockHashes);
  let done = 0;
  return {
    key: head.slice(format.length, format.length + hashKeyBytes),
    count,
    /** Returns the next hashes, valid until the next call; an empty array at the end. */
    async next(): Promise<Float64Array> {
      const length = Math.min(blockHashes, count - done);
      const bytes = new Uint8Array(block.buffer, 0, length * hashBytes);
      for (let from = 0; from < bytes.length;) {
        const read = await file.read(bytes, from, bytes.length - from, headBytes + done * hashBytes + from);
        if (read.bytesRead === 0) throw new Error("a file of hashes was truncated");
        from += read.bytesRead;
      }
      done += length;
      return block.subarray(0, length);
    },
    close: () => file.close(),
  };
}

/** Reads the head of a file. Returns the number of hashes; undefined if the file is incomplete or damaged. */
async function readHead(file: FileHandle, head: Uint8Array): Promise<number | undefined> {
  const { bytesRead } = await file.read(head, 0, headBytes, 0);
  const count = new DataView(head.buffer).getFloat64(format.length + hashKeyBytes, true);
  const { size } = await file.stat();
  const isComplete = bytesRead === headBytes && size === headBytes + count * hashBytes;
  return isComplete && format.every((byte, index) => head[index] === byte) ? count : undefined;
}
