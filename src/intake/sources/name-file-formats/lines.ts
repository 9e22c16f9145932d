import type { ByteSource } from "../name-file-bytes/byte-source.ts";

/** Maximum length of a line. A longer one is skipped, and only its start is kept. */
export const lineBytesMax = 1 << 20;

const chunkBytes = 1 << 17;
/** Length of the start of an overlong line that is kept, so that a message can show which line it is. */
const overlongKeptBytes = 256;
const lineFeed = 0x0a;

/** A number of complete lines. The next block overwrites everything in it. */
export interface LineBlock {
  bytes: Uint8Array<ArrayBuffer>;
  count: number;
  /** Start of line `i` in `bytes`, and its end without the line feed; the end is -1 if the line is too long. */
  starts: Int32Array;
  ends: Int32Array;
  /** Start of the line after line `i`. */
  nexts: Int32Array;
  /** Number of the first line of the block, from 1. */
  firstLine: number;
  /** Position of `bytes[0]` in the whole (decompressed) text. */
  position: number;
  /** The block is a single line, the last of the text, without a line feed: it may still be being written. */
  unterminated: boolean;
}

/** Creates a block without lines, for at most `linesMax` of them. */
export function createBlock(
  bytes: Uint8Array<ArrayBuffer>,
  linesMax: number,
  start: { position: number; line: number },
): LineBlock {
  return {
    bytes,
    count: 0,
    starts: new Int32Array(linesMax),
    ends: new Int32Array(linesMax),
    nexts: new Int32Array(linesMax),
    firstLine: start.line,
    position: start.position,
    unterminated: false,
  };
}

/** Splits text into lines, block by block, in constant memory. */
export async function* readLines(
  source: ByteSource,
  start: { position: number; line: number } = { position: 0, line: 1 },
): AsyncGenerator<LineBlock> {
  // Room for the longest line that is kept, and for the bytes that are read while it grows.
  const bytes = new Uint8Array(lineBytesMax + chunkBytes);
  const linesMax = chunkBytes + 1;
  const block = createBlock(bytes, linesMax, start);
  let filled = 0;
  let overlong = false;
  let overlongPosition = 0;
  for (;;) {
    const read = await source.read(bytes.subarray(filled, filled + chunkBytes));
    const end = filled + read;
    if (read === 0) {
      if (overlong) block.position = overlongPosition;
      if (filled > 0) yield lastLine(block, filled, overlong);
      return;
    }
    const kept = cut(block, filled, end, overlong);
    if (block.count > 0) {
      yield block;
      overlong = false;
      block.firstLine += block.count;
    }
    filled = end - kept;
    if (filled > lineBytesMax || overlong) {
      // The rest of an overlong line is dropped as it arrives. Its start stays in place.
      if (!overlong) {
        overlongPosition = block.position + kept;
        bytes.copyWithin(0, kept, kept + overlongKeptBytes);
      }
      overlong = true;
      block.position += kept + filled - overlongKeptBytes;
      filled = overlongKeptBytes;
    } else {
      bytes.copyWithin(0, kept, end);
      block.position += kept;
    }
  }
}

/** Makes a block of its own from the first `length` of `bytes`: complete lines, the last one with its line feed. */
export function cutLines(bytes: Uint8Array<ArrayBuffer>, length: number): LineBlock {
  let count = 0;
  for (let i = 0; i < length; i++) if (bytes[i] === lineFeed) count++;
  const block = createBlock(bytes, count, { position: 0, line: 1 });
  cut(block, 0, length, false);
  return block;
}

/** Finds the lines between 0 and `end`, none of which ends before `from`. Returns the start of the last, open line. */
function cut(block: LineBlock, from: number, end: number, overlong: boolean): number {
  const { bytes, starts, ends, nexts } = block;
  let count = 0;
  let start = 0;
  for (let i = from; i < end; i++) {
    if (bytes[i] !== lineFeed) continue;
    starts[count] = start;
    ends[count] = i - start > lineBytesMax ? -1 : i;
    start = i + 1;
    nexts[count++] = start;
  }
  if (overlong && count > 0) ends[0] = -1;
  block.count = count;
  return start;
}

function lastLine(block: LineBlock, filled: number, overlong: boolean): LineBlock {
  block.count = 1;
  block.starts[0] = 0;
  block.ends[0] = overlong ? -1 : filled;
  // More may be appended to it, so resuming reads the whole line again.
  block.nexts[0] = 0;
  block.unterminated = true;
  return block;
}
