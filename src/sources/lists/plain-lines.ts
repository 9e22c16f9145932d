import type { LineBlock } from "./lines.ts";
import { lineBytesMax } from "./lines.ts";
import type { NameChunkBuilder } from "./name-chunk.ts";

/**
 * Turns the lines of a block into the names of a chunk, from `chunk.start()` on. Called with block after
 * block of one list; may keep state between them. Where the last lines of the block belong to a record
 * that goes on behind it, answers the index of the record's first line, or -1 if that was in a block before.
 */
export type LineParser = (block: LineBlock, chunk: NameChunkBuilder) => number | undefined;

export const tooLong = `is longer than ${lineBytesMax} bytes`;

const space = 0x20;
const hash = 0x23;

/** One name a line; `#` starts a comment; white space around the name and blank lines are passed over. */
export const parsePlainLines: LineParser = (block, chunk) => {
  const { bytes, starts, ends, count } = block;
  chunk.start(block, bytes);
  for (let i = 0; i < count; i++) {
    let start = starts[i]!;
    const end = ends[i]!;
    if (end < 0) {
      chunk.fault(tooLong, i);
      continue;
    }
    while (start < end && isBlank(bytes[start]!)) start++;
    if (start === end || bytes[start] === hash) continue;
    chunk.name(start, endOfName(bytes, start, end), i);
  }
  return undefined;
};

/** Up to the comment, or where there is none the whole line: what follows a name makes the line invalid. */
function endOfName(bytes: Uint8Array, start: number, end: number): number {
  while (isBlank(bytes[end - 1]!)) end--;
  for (let i = start; i < end; i++) {
    if (bytes[i]! > space) continue;
    let after = i;
    while (after < end && isBlank(bytes[after]!)) after++;
    return bytes[after] === hash ? i : end;
  }
  return end;
}

/** Space, tab, carriage return, vertical tab, form feed. */
export function isBlank(byte: number): boolean {
  return byte === space || (byte >= 0x09 && byte <= 0x0d);
}
