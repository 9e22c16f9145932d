import { open, rm, type FileHandle } from "node:fs/promises";

/** Writes a body to a file while it arrives, in constant memory. */
export type FileSink = Awaited<ReturnType<typeof createFileSink>>;

const blockBytes = 256 * 1024;
/** The server has to wait while more than this number of blocks is not written yet. */
const blocksWaitingMax = 4;

/**
 * Creates a file that only its owner can read, and replaces one that exists.
 * @throws the error of the file system if it cannot be created.
 */
export async function createFileSink(path: string, { bytesMax }: { bytesMax: number }) {
  const file = await open(path, "w", 0o600);
  const hasher = new Bun.CryptoHasher("sha256");
  let block = new Uint8Array(blockBytes);
  let filled = 0;
  let bytes = 0;
  let isFull = false;
  let error: Error | undefined;
  let waiting = 0;
  let written: Promise<void> = Promise.resolve();
  let isClosed = false;

  function writeBlock(): void {
    const piece = block.subarray(0, filled);
    block = new Uint8Array(blockBytes);
    filled = 0;
    written = writeAfter(written, piece);
  }

  async function writeAfter(before: Promise<void>, piece: Uint8Array): Promise<void> {
    waiting += 1;
    await before;
    try {
      if (error === undefined) await writeAll(file, piece);
    } catch (thrown) {
      error = thrown as Error;
    } finally {
      waiting -= 1;
    }
  }

  async function untilWritten(): Promise<void> {
    await written;
    if (error !== undefined) throw error;
  }

  async function close(): Promise<void> {
    if (isClosed) return;
    isClosed = true;
    await written;
    await file.close();
  }

  return {
    bytesMax,
    /** Number of bytes taken so far. */
    get bytes() {
      return bytes;
    },
    /** Whether the body was longer than `bytesMax`. */
    get isFull() {
      return isFull;
    },
    /** Why the file could not be written; undefined if nothing went wrong. */
    get error() {
      return error;
    },
    add(source: Uint8Array, from = 0, to = source.length) {
      const end = Math.min(to, from + bytesMax - bytes);
      hasher.update(source.subarray(from, end));
      bytes += end - from;
      for (let index = from; index < end;) {
        const length = Math.min(end - index, blockBytes - filled);
        block.set(source.subarray(index, index + length), filled);
        filled += length;
        index += length;
        if (filled === blockBytes) writeBlock();
      }
      isFull = end < to;
      return !isFull;
    },
    room() {
      if (error === undefined && waiting <= blocksWaitingMax) return undefined;
      return untilWritten();
    },

    /**
     * Writes the rest to the disk and closes the file.
     * @throws the error of the file system.
     */
    async finish() {
      if (filled > 0) writeBlock();
      await untilWritten();
      // The database names the file only once its content is on the disk.
      await file.sync();
      await close();
      return { bytes, sha256: hasher.digest("hex") };
    },

    /** Closes and deletes the file. */
    async discard() {
      await close();
      await rm(path, { force: true });
    },
  };
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.length;)
    from += (await file.write(bytes, from, bytes.length - from)).bytesWritten;
}
