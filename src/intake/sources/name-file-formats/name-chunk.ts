import { isAscii } from "node:buffer";
import type { EntryForm } from "../../../platform/vocabulary/lists.ts";
import { screenOnce, type InvalidEntry, type NameBatch } from "../name-batch.ts";
import type { LineBlock } from "./lines.ts";

/**
 * A number of names of a list, as ranges of bytes: `bytes[starts[i]..ends[i])`. An entry with an empty range is a line
 * without a name; `errors` says why. The next chunk overwrites everything in it.
 */
export interface NameChunk {
  bytes: Uint8Array<ArrayBuffer>;
  count: number;
  /** Names between the entries that the prefilter has dropped. */
  dropped: number;
  starts: Int32Array;
  ends: Int32Array;
  /** Line number of entry `i` is `firstLine + lines[i]`. */
  lines: Int32Array;
  firstLine: number;
  /**
   * After entry `i` is processed, reading may resume at `position + nexts[i]` in the (decompressed) text, where line
   * `firstLine + nextLines[i]` starts.
   */
  nexts: Int32Array;
  nextLines: Int32Array;
  position: number;
  /** Number of entries whose name is the host of a link. */
  links: number;
  /**
   * The link of entry `i`, around its name: `bytes[linkStarts[i]..linkEnds[i])`; the end is 0 if there is none. Not to
   * be read if `links` is 0.
   */
  linkStarts: Int32Array;
  linkEnds: Int32Array;
  errors: Map<number, InvalidEntry>;
  /** Where each entry of an email was found. Absent for other formats. */
  forms?: readonly EntryForm[];
  /** All names, also the dropped ones, as `joinNames` returns them; absent: the entries are all names. */
  joined?: Uint8Array<ArrayBuffer>;
  /** Where reading resumes once the whole chunk is processed. */
  end: Place;
}

/** A position between two lines: number of bytes before it, and number of the line that starts there. */
export interface Place {
  position: number;
  line: number;
}

const errorTextBytes = 120;
const utf8 = new TextDecoder();

/** Collects the entries of a chunk. Its arrays are reused for the next one. */
export type NameChunkBuilder = ReturnType<typeof createNameChunkBuilder>;

const arrays = ["starts", "ends", "lines", "nexts", "nextLines", "linkStarts", "linkEnds"] as const;

export function createNameChunkBuilder() {
  let capacity = 1 << 14;
  let block: LineBlock;
  const chunk: NameChunk = {
    bytes: new Uint8Array(0),
    count: 0,
    dropped: 0,
    starts: new Int32Array(capacity),
    ends: new Int32Array(capacity),
    lines: new Int32Array(capacity),
    firstLine: 1,
    nexts: new Int32Array(capacity),
    nextLines: new Int32Array(capacity),
    position: 0,
    links: 0,
    linkStarts: new Int32Array(capacity),
    linkEnds: new Int32Array(capacity),
    errors: new Map(),
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

  /**
   * @param line index of the line in the block.
   * @param unfinished the record or the line contains more: resuming after this entry reads the line again.
   */
  function name(start: number, end: number, line: number, unfinished = false): void {
    if (chunk.count === capacity) grow();
    const index = chunk.count++;
    const again = unfinished || block.unterminated;
    chunk.starts[index] = start;
    chunk.ends[index] = end;
    chunk.lines[index] = line;
    chunk.nexts[index] = again ? (block.starts[line] ?? 0) : (block.nexts[line] ?? 0);
    chunk.nextLines[index] = again ? line : line + 1;
  }

  return {
    /** Starts a chunk with the entries of `block`, whose names are in `bytes`. */
    start(from: LineBlock, bytes: Uint8Array<ArrayBuffer>) {
      block = from;
      chunk.bytes = bytes;
      if (chunk.links > 0) chunk.linkEnds.fill(0, 0, chunk.count);
      chunk.links = 0;
      chunk.count = 0;
      chunk.firstLine = from.firstLine;
      chunk.position = from.position;
      chunk.errors = new Map();
    },
    name,

    /** Adds an entry whose name is the host of the link `bytes[linkStart..linkEnd)`; the rest as for `name`. */
    link(start: number, end: number, linkStart: number, linkEnd: number, line: number, unfinished?: boolean) {
      name(start, end, line, unfinished);
      const index = chunk.count - 1;
      chunk.linkStarts[index] = linkStart;
      chunk.linkEnds[index] = linkEnd;
      chunk.links++;
    },

    /** Adds an entry for a line without a name. */
    error(why: string, line: number) {
      const start = block.starts[line] ?? 0;
      const end = (block.ends[line] ?? 0) < 0 ? (block.nexts[line] ?? 0) : (block.ends[line] ?? 0);
      const text = utf8.decode(block.bytes.subarray(start, Math.min(end, start + errorTextBytes)));
      chunk.errors.set(chunk.count, { why, text });
      name(0, 0, line);
    },
    finish(end: Place) {
      chunk.end = end;
      return chunk;
    },
  };
}

/** Removes the entries up to `position` in the text, which an earlier reading has processed. */
export function dropBefore(chunk: NameChunk, position: number): void {
  let first = 0;
  while (first < chunk.count && chunk.position + (chunk.nexts[first] ?? 0) <= position) first++;
  if (first === 0) return;
  for (const array of arrays) chunk[array].copyWithin(0, first, chunk.count);
  chunk.count -= first;
  const left = [...chunk.errors].filter(([index]) => index >= first);
  chunk.errors = new Map(left.map(([index, error]) => [index - first, error]));
}

/** Decides about an entry of a chunk. */
export type EntrySelection = (chunk: NameChunk, index: number) => boolean;

/** Keeps the entries without a name and those that are selected. The others count as dropped. Reuses the arrays. */
export function selectEntries(chunk: NameChunk, isSelected: EntrySelection): NameChunk {
  const { errors } = chunk;
  const keptErrors: NameChunk["errors"] = new Map();
  const forms: EntryForm[] = [];
  let count = 0;
  for (let index = 0; index < chunk.count; index++) {
    const error = errors.size === 0 ? undefined : errors.get(index);
    if (error === undefined && !isSelected(chunk, index)) continue;
    if (error !== undefined) keptErrors.set(count, error);
    const form = chunk.forms?.[index];
    if (form !== undefined) forms[count] = form;
    for (const array of arrays) chunk[array][count] = chunk[array][index] ?? 0;
    count++;
  }
  return { ...chunk, count, dropped: chunk.dropped + chunk.count - count, errors: keptErrors, forms };
}

/**
 * Decodes the names of a chunk. ASCII chunks are decoded at once, because a substring costs a tenth of a call into the
 * decoder. Invalid UTF-8 becomes U+FFFD, which no host name may contain.
 */
export function textOf({ bytes, starts, ends, count }: NameChunk): (index: number) => string {
  const last = count === 0 ? 0 : ends.subarray(0, count).reduce((a, b) => Math.max(a, b), 0);
  const used = Buffer.from(bytes.buffer, bytes.byteOffset, last);
  if (!isAscii(used)) return (index) => used.toString("utf8", starts[index] ?? 0, ends[index] ?? 0);
  const text = used.toString("latin1");
  return (index) => text.slice(starts[index] ?? 0, ends[index] ?? 0);
}

/**
 * Returns the names of a chunk, each followed by a line feed: a part of its bytes where they are already arranged like
 * that, and copies otherwise.
 */
export function joinNames({ bytes, count, starts, ends }: NameChunk): Uint8Array<ArrayBuffer> {
  const runs: number[] = [];
  let length = 0;
  for (let i = 0; i < count;) {
    const start = starts[i] ?? 0;
    let end = ends[i] ?? 0;
    // Nearly all lists have one name per line: then a whole block is one run, and nothing is copied.
    while (++i < count && starts[i] === end + 1 && bytes[end] === lineFeed) end = ends[i] ?? 0;
    if (start === end) continue;
    runs.push(start, end);
    length += end - start + 1;
  }
  if (runs.length === 2 && bytes[runs[1] ?? 0] === lineFeed)
    return bytes.subarray(runs[0] ?? 0, (runs[1] ?? 0) + 1);
  const joined = new Uint8Array(length);
  let used = 0;
  for (let run = 0; run < runs.length; run += 2) {
    const end = runs[run + 1] ?? 0;
    for (let from = runs[run] ?? 0; from < end; from++) joined[used++] = bytes[from] ?? 0;
    joined[used++] = lineFeed;
  }
  return joined;
}
const lineFeed = 0x0a;

/** Presents a chunk as a batch, valid until the next chunk is read. */
export function batchOfChunk(chunk: NameChunk): NameBatch<Place> {
  const { bytes, lines, nexts, nextLines, linkStarts, linkEnds, errors } = chunk;
  const text = textOf(chunk);
  return {
    count: chunk.count,
    dropped: chunk.dropped,
    end: chunk.end,
    name: text,
    link: (index) =>
      chunk.links === 0 || linkEnds[index] === 0
        ? undefined
        : utf8.decode(bytes.subarray(linkStarts[index] ?? 0, linkEnds[index] ?? 0)),
    form: (index) => chunk.forms?.[index],
    error: (index) => (errors.size === 0 ? undefined : errors.get(index)),
    line: (index) => chunk.firstLine + (lines[index] ?? 0),
    mayMatch: screenOnce(chunk, chunk.count),
    names: () => chunk.joined ?? joinNames(chunk),
    positionAfter: (index) => ({
      position: chunk.position + (nexts[index] ?? 0),
      line: chunk.firstLine + (nextLines[index] ?? 0),
    }),
  };
}
