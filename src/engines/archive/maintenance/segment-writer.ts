/** Writes a segment under a temporary name, and renames it when it is complete. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { partialEnding, segmentFile, type Segment } from "../files/folder.ts";
import { recordHeader } from "../files/record.ts";

/** Larger blocks take 1 % less space, and twice as much memory while segments are merged. */
const blockNamesMax = 16_384;
const blockBytesMax = 1 << 20;
const lineFeed = 0x0a;
/** The fastest level. Level 3 saves nothing in this order of names, level 6 saves 5 % and takes four times as long. */
const compressionLevel = 1;
const nameRoomBytes = 256;

export function createSegmentWriter(
  folder: string,
  segment: Pick<Segment, "day" | "source" | "first" | "last">,
) {
  const { day, source } = segment;
  const path = join(folder, `${segmentFile({ ...segment, names: 0 })}${partialEnding}`);
  const descriptor = openSync(path, "w", 0o600);
  const block = Buffer.alloc(blockBytesMax + nameRoomBytes);
  let used = 0;
  let count = 0;
  let total = 0;
  let previousStart = 0;
  /** Length of the last name of the previous block, which is still at the start of the buffer. */
  let lastOfBlock = 0;
  let isOpen = true;

  function close(): void {
    if (isOpen) closeSync(descriptor);
    isOpen = false;
  }

  function writeBlock(): void {
    if (count === 0) return;
    const stored = Bun.zstdCompressSync(block.subarray(0, used), { level: compressionLevel });
    writeAll(descriptor, recordHeader({ kind: "zstd", day, source }, stored, { namesBytes: used, count }));
    writeAll(descriptor, stored);
    total += count;
    // The last name stays, to recognize it when it comes again.
    block.copyWithin(0, previousStart, used);
    lastOfBlock = used - previousStart;
    previousStart = 0;
    used = 0;
    count = 0;
  }
  function isPrevious(names: Uint8Array, start: number, end: number): boolean {
    const length = end - start;
    const previousLength = (count > 0 ? used - previousStart : lastOfBlock) - 1;
    if (previousLength !== length) return false;
    for (let i = 0; i < length; i++) if (block[previousStart + i] !== names[start + i]) return false;
    return true;
  }

  return {
    /** Appends a name unless it is the previous one. Names have to come in the order of `compareNames`. */
    add(names: Uint8Array, start: number, end: number) {
      if (isPrevious(names, start, end)) return;
      previousStart = used;
      for (let at = start; at < end; at++) block[used++] = names[at]!;
      block[used++] = lineFeed;
      count++;
      if (count === blockNamesMax || used >= blockBytesMax) writeBlock();
    },

    /** Completes the file, and returns its name; undefined if no names were added. */
    finish() {
      writeBlock();
      if (total === 0) {
        close();
        rmSync(path);
        return undefined;
      }
      fsyncSync(descriptor);
      close();
      const file = segmentFile({ ...segment, names: total });
      renameSync(path, join(folder, file));
      return file;
    },

    /** Deletes the file if it is incomplete. */
    [Symbol.dispose]() {
      close();
      rmSync(path, { force: true });
    },
  };
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
}
