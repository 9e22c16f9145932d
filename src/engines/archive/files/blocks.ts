/** Reads the blocks of sorted names in a segment. */
import { zstdDecompressSync } from "node:zlib";
import { headerBytes, readRecords, type ReadableFile, type StoredRecord } from "./record.ts";

const lineFeed = 0x0a;
/** The decompressor accepts no smaller one. */
const chunkBytesMin = 64;

export interface NameBlock {
  /** Each followed by a line feed. */
  names: Buffer;
  count: number;
  /** Length in the file. */
  bytes: number;
  /** Offset in the file after the block. */
  end: number;
}

/** Yields the undamaged blocks that start in the range. `onDamage` receives the number of bytes that were skipped. */
export async function* readBlocks(
  file: ReadableFile,
  range: { start?: number; end?: number; onDamage?: ((bytes: number) => void) | undefined },
): AsyncGenerator<NameBlock> {
  for await (const record of readRecords(file, range)) {
    const names = unpack(record);
    if (names === undefined) range.onDamage?.(record.stored.length);
    else yield { names, count: record.count, bytes: headerBytes + record.stored.length, end: record.end };
  }
}

/**
 * Returns undefined if the record does not contain what it claims. Its checksum may be right all the same: a copied
 * archive may come from anywhere.
 */
function unpack({ kind, stored, namesBytes }: StoredRecord): Buffer | undefined {
  if (kind !== "zstd" || namesBytes === 0) return undefined;
  try {
    // One chunk, because growing to several takes longer than decompressing.
    const chunkSize = Math.max(chunkBytesMin, namesBytes);
    const names = zstdDecompressSync(stored, { maxOutputLength: namesBytes, chunkSize });
    return names.length === namesBytes && names.at(-1) === lineFeed ? names : undefined;
  } catch {
    return undefined;
  }
}
