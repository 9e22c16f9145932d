import { open, rm } from "node:fs/promises";
import { writeAll } from "./hash-file.ts";

/** Sorts any number of hashes in constant memory, with the help of a temporary file. */
export type HashSorter = Awaited<ReturnType<typeof createHashSorter>>;

/** The upper bits of a hash choose its bucket, so that sorted buckets one after another are sorted as a whole. */
const bucketBits = 10;
const bucketsCount = 1 << bucketBits;
/** 1,024 buffers of 8 KiB: 8 MiB. A bucket of a list of 100 million names is sorted in about 5 ms. */
const bufferHashes = 1_024;
const hashBytes = 8;

/** @param path temporary file. */
export async function createHashSorter(path: string) {
  const file = await open(path, "w+", 0o600);
  const buffers = Array.from({ length: bucketsCount }, () => new Float64Array(bufferHashes));
  const filled = new Int32Array(bucketsCount);
  const blocks: number[][] = Array.from({ length: bucketsCount }, () => []);
  const value = new Float64Array(1);
  const bits = new Uint32Array(value.buffer);
  let full: { bucket: number; hashes: Float64Array }[] = [];
  let written = 0;

  async function load(bucket: number): Promise<Float64Array> {
    const count = blocks[bucket]!.length * bufferHashes;
    const hashes = new Float64Array(count + (filled[bucket] ?? 0));
    for (const [index, block] of blocks[bucket]!.entries()) {
      const into = new Uint8Array(hashes.buffer, index * bufferHashes * hashBytes, bufferHashes * hashBytes);
      const { bytesRead } = await file.read(into, 0, into.length, block * into.length);
      if (bytesRead < into.length) throw new Error("the temporary file of hashes was truncated");
    }
    hashes.set(buffers[bucket]!.subarray(0, filled[bucket]), count);
    return hashes;
  }

  /** Writes what `add` has completed. Call it after every few thousand hashes. */
  async function settle(): Promise<void> {
    const complete = full;
    full = [];
    for (const { bucket, hashes } of complete) {
      const bytes = new Uint8Array(hashes.buffer);
      await writeAll(file, bytes, written * bytes.length);
      blocks[bucket]!.push(written);
      written += 1;
    }
  }

  return {
    settle,
    add(hash: number) {
      value[0] = hash;
      const bucket = (bits[1] ?? 0) >>> (30 - bucketBits);
      const at = filled[bucket] ?? 0;
      buffers[bucket]![at] = hash;
      if (at + 1 < bufferHashes) filled[bucket] = at + 1;
      else {
        full.push({ bucket, hashes: buffers[bucket]! });
        buffers[bucket] = new Float64Array(bufferHashes);
        filled[bucket] = 0;
      }
    },

    /** Yields all hashes in ascending order, each once, in parts that are valid until the next one. */
    async *parts(): AsyncGenerator<Float64Array> {
      await settle();
      for (let bucket = 0; bucket < bucketsCount; bucket++) {
        const hashes = (await load(bucket)).sort();
        const count = removeRepeated(hashes);
        if (count > 0) yield hashes.subarray(0, count);
      }
    },

    /** Deletes the temporary file. */
    async close() {
      await file.close();
      await rm(path, { force: true });
    },
  };
}

/** Moves each distinct hash to the front. Returns their number. */
function removeRepeated(sorted: Float64Array): number {
  let count = 0;
  for (const hash of sorted) {
    if (count === 0 || hash !== sorted[count - 1]) sorted[count++] = hash;
  }
  return count;
}
