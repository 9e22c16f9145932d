import type { ArchiveSource } from "../archive.ts";
import { startOfDay, type Instant } from "../../../platform/lib/clock.ts";
import type { Group } from "../files/record.ts";

/** Names that arrived together and are written together. */
export interface PendingNames extends Group {
  names: Uint8Array;
}

/** Names are collected up to this size, so that the thread that adds them mostly copies. */
const chunkBytesMax = 1 << 18;
const chunkBytesMin = 1 << 12;
/** Memory of chunks that were written, which is used again: new memory costs more than everything else here. */
const freeChunksMax = 16;
const lineFeed = 0x0a;

interface Chunk extends Group {
  bytes: Uint8Array;
  used: number;
}

/** Collects names by day and source in memory. Adding one costs what copying it costs. */
export function createPendingNames(onFull: (names: PendingNames) => void) {
  const chunks = new Map<string, Chunk>();
  const free: Uint8Array[] = [];
  const largest = () => free.pop() ?? new Uint8Array(chunkBytesMax);

  /** Passes the names of a chunk on. The chunk gets new memory. */
  function release(chunk: Chunk): void {
    if (chunk.used === 0) return;
    const { day, source, bytes, used } = chunk;
    chunk.bytes = used > chunkBytesMax / 2 ? largest() : new Uint8Array(chunkBytesMin);
    chunk.used = 0;
    onFull({ day, source, names: bytes.subarray(0, used) });
  }

  function append(chunk: Chunk, names: Uint8Array): void {
    const needed = chunk.used + names.length;
    if (needed > chunk.bytes.length) {
      const size = Math.max(4 * chunk.bytes.length, needed);
      const larger = size < chunkBytesMax ? new Uint8Array(size) : largest();
      larger.set(chunk.bytes.subarray(0, chunk.used));
      chunk.bytes = larger;
    }
    chunk.bytes.set(names, chunk.used);
    chunk.used = needed;
  }

  return {
    /** @param names each followed by a line feed, which may be missing after the last one */
    add(names: Uint8Array, { source, seenAt }: { source: ArchiveSource; seenAt: Instant }): void {
      const day = startOfDay(seenAt);
      const newChunk = () => ({ day, source, bytes: new Uint8Array(chunkBytesMin), used: 0 });
      const chunk = chunks.getOrInsertComputed(`${day} ${source}`, newChunk);
      for (let start = 0; start < names.length;) {
        const room = chunkBytesMax - chunk.used - 1;
        let end = names.length;
        if (end - start > room) {
          // A chunk without room: a negative index would count from the end.
          end = room < 1 ? start : names.lastIndexOf(lineFeed, start + room - 1) + 1;
          if (end <= start) {
            if (chunk.used > 0) release(chunk);
            // The line is longer than a chunk, so it holds no name.
            else start = nextLine(names, start);
            continue;
          }
        }
        append(chunk, names.subarray(start, end));
        if (names[end - 1] !== lineFeed) chunk.bytes = withLineFeed(chunk);
        start = end;
      }
    },
    /** Takes back the memory of names that were passed on. They become invalid. */
    recycle({ names }: PendingNames): void {
      if (names.buffer.byteLength === chunkBytesMax && free.length < freeChunksMax)
        free.push(new Uint8Array(names.buffer));
    },
    /** Passes everything on. */
    release(): void {
      for (const chunk of chunks.values()) release(chunk);
      chunks.clear();
    },
  };
}

function nextLine(names: Uint8Array, start: number): number {
  const found = names.indexOf(lineFeed, start);
  return found === -1 ? names.length : found + 1;
}

/** Returns the bytes of the chunk with a line feed after them. */
function withLineFeed(chunk: Chunk): Uint8Array {
  const { bytes, used } = chunk;
  const target = used < bytes.length ? bytes : new Uint8Array(used + 1);
  if (target !== bytes) target.set(bytes);
  target[used] = lineFeed;
  chunk.used = used + 1;
  return target;
}
