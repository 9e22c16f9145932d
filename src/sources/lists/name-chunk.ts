import { isAscii } from "node:buffer";
import type { NameBatch } from "../name-batch.ts";
import type { LineBlock } from "./lines.ts";

/**
 * Some names out of a list, as ranges of bytes: `bytes[starts[i]..ends[i])`. An entry whose range is empty
 * is a line that holds no name; `faults` tells why. Everything in it is overwritten by the next chunk.
 */
export interface NameChunk {
  bytes: Uint8Array;
  count: number;
  /** Names that stood between the entries and are none of them: nobody takes them for imitations. */
  harmless: number;
  starts: Int32Array;
  ends: Int32Array;
  /** Line number of entry `i` is `firstLine + lines[i]`. */
  lines: Int32Array;
  firstLine: number;
  /**
   * Whoever has dealt with entry `i` may later go on from `position + nexts[i]` in the (decompressed) text,
   * where line `firstLine + nextLines[i]` starts.
   */
  nexts: Int32Array;
  nextLines: Int32Array;
  position: number;
  faults: Map<number, LineFault>;
  /** Where to go on once the whole chunk is dealt with. */
  end: Place;
}

/** A place between two lines: bytes before it, and the number of the line that starts there. */
export interface Place {
  position: number;
  line: number;
}

export interface LineFault {
  why: string;
  /** The start of the line, as it stands there. */
  text: string;
}

const faultTextBytes = 120;
const utf8 = new TextDecoder();

/** Collects the entries of a chunk; its arrays are used again for the next one. */
export interface NameChunkBuilder {
  /** Makes ready for the entries that come from `block`, whose names lie in `bytes`. */
  start(block: LineBlock, bytes: Uint8Array): void;
  /**
   * @param line index of the line in the block.
   * @param unfinished more belongs to the record than this line, or more names to the line: whoever goes on
   *   after this entry begins with the line once more.
   */
  name(start: number, end: number, line: number, unfinished?: boolean): void;
  /** An entry for a line without a name. */
  fault(why: string, line: number): void;
  finish(end: Place): NameChunk;
}

const arrays = ["starts", "ends", "lines", "nexts", "nextLines"] as const;

export function createNameChunkBuilder(): NameChunkBuilder {
  let capacity = 1 << 14;
  let block: LineBlock;
  const chunk: NameChunk = {
    bytes: new Uint8Array(0),
    count: 0,
    harmless: 0,
    starts: new Int32Array(capacity),
    ends: new Int32Array(capacity),
    lines: new Int32Array(capacity),
    firstLine: 1,
    nexts: new Int32Array(capacity),
    nextLines: new Int32Array(capacity),
    position: 0,
    faults: new Map(),
    end: { position: 0, line: 1 },
  };

  function grow(): void {
    capacity *= 2;
    for (const array of arrays) {
      const larger = new Int32Array(capacity);
      larger.set(chunk[array]);
      chunk[array] = larger;
    }
  }

  function name(start: number, end: number, line: number, unfinished = false): void {
    if (chunk.count === capacity) grow();
    const index = chunk.count++;
    const again = unfinished || block.unterminated;
    chunk.starts[index] = start;
    chunk.ends[index] = end;
    chunk.lines[index] = line;
    chunk.nexts[index] = again ? block.starts[line]! : block.nexts[line]!;
    chunk.nextLines[index] = again ? line : line + 1;
  }

  return {
    start(from, bytes) {
      block = from;
      chunk.bytes = bytes;
      chunk.count = 0;
      chunk.firstLine = from.firstLine;
      chunk.position = from.position;
      chunk.faults = new Map();
    },
    name,
    fault(why, line) {
      const start = block.starts[line]!;
      const end = block.ends[line]! < 0 ? block.nexts[line]! : block.ends[line]!;
      const text = utf8.decode(block.bytes.subarray(start, Math.min(end, start + faultTextBytes)));
      chunk.faults.set(chunk.count, { why, text });
      name(0, 0, line);
    },
    finish(end) {
      chunk.end = end;
      return chunk;
    },
  };
}

/** Takes out the entries that were dealt with in an earlier reading, up to `position` in the text. */
export function dropBefore(chunk: NameChunk, position: number): void {
  let first = 0;
  while (first < chunk.count && chunk.position + chunk.nexts[first]! <= position) first++;
  if (first === 0) return;
  for (const array of arrays) chunk[array].copyWithin(0, first, chunk.count);
  chunk.count -= first;
  const left = [...chunk.faults].filter(([index]) => index >= first);
  chunk.faults = new Map(left.map(([index, fault]) => [index - first, fault]));
}

/**
 * The names of a chunk as text. One decoding for all of them where they are ASCII, for a substring
 * costs a tenth of a call into the decoder. Bytes that are no UTF-8 become U+FFFD, which no host name may have.
 */
export function textOf({ bytes, starts, ends, count }: NameChunk): (index: number) => string {
  const last = count === 0 ? 0 : ends.subarray(0, count).reduce((a, b) => Math.max(a, b), 0);
  const used = Buffer.from(bytes.buffer, bytes.byteOffset, last);
  if (!isAscii(used)) return (index) => used.toString("utf8", starts[index]!, ends[index]!);
  const text = used.toString("latin1");
  return (index) => text.slice(starts[index]!, ends[index]!);
}

/** Presents a chunk as a batch, valid until the next chunk is read. */
export function batchOfChunk(chunk: NameChunk): NameBatch<Place> {
  const { bytes, starts, ends, lines, nexts, nextLines, faults } = chunk;
  const text = textOf(chunk);
  return {
    count: chunk.count,
    dropped: chunk.harmless,
    end: chunk.end,
    name: text,
    error: (index) => (faults.size === 0 ? undefined : faults.get(index)),
    line: (index) => chunk.firstLine + lines[index]!,
    mayMatch: (index, matcher) => matcher.screen(bytes, starts[index]!, ends[index]!),
    positionAfter: (index) => ({
      position: chunk.position + nexts[index]!,
      line: chunk.firstLine + nextLines[index]!,
    }),
  };
}
