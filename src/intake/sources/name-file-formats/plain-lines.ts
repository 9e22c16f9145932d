import { lineBytesMax, type LineBlock } from "./lines.ts";
import { addNameOrLink } from "./links.ts";
import type { NameChunkBuilder } from "./name-chunk.ts";

/**
 * Extracts the names of a block into a chunk, starting with `chunk.start()`. Called with one block after another of the
 * same list, and may keep state between them. If a record continues after the block, returns the index of the record's
 * first line, or -1 if that is in an earlier block.
 */
export type LineParser = (block: LineBlock, chunk: NameChunkBuilder) => number | undefined;

export const tooLong = `is longer than ${lineBytesMax} bytes`;

const space = 0x20;
const hash = 0x23;

/** Parses one name or link per line. `#` starts a comment; white space around names and blank lines are ignored. */
export const parsePlainLines: LineParser = (block, chunk) => {
  const { bytes, starts, ends, count } = block;
  chunk.start(block, bytes);
  for (let i = 0; i < count; i++) {
    let start = starts[i] ?? 0;
    const end = ends[i] ?? 0;
    if (end < 0) {
      chunk.error(tooLong, i);
      continue;
    }
    while (start < end && isBlank(bytes[start] ?? 0)) start++;
    if (start === end || bytes[start] === hash) continue;
    addNameOrLink(chunk, bytes, start, endOfName(bytes, start, end), i);
  }
  return undefined;
};

/** Returns the end of the name: the comment, or the end of the line, as text after a name makes the line invalid. */
function endOfName(bytes: Uint8Array, start: number, end: number): number {
  while (isBlank(bytes[end - 1] ?? 0)) end--;
  for (let i = start; i < end; i++) {
    if ((bytes[i] ?? 0) > space) continue;
    let after = i;
    while (after < end && isBlank(bytes[after] ?? 0)) after++;
    return bytes[after] === hash ? i : end;
  }
  return end;
}

/** Recognizes space, tab, carriage return, vertical tab and form feed. */
export function isBlank(byte: number): boolean {
  return byte === space || (byte >= 0x09 && byte <= 0x0d);
}
