import { readPieces, type ByteSource } from "../name-file-bytes/byte-source.ts";
import { addNameOrLink } from "../name-file-formats/links.ts";
import { cutLines, readLines, type LineBlock } from "../name-file-formats/lines.ts";
import {
  batchOfChunk,
  createNameChunkBuilder,
  type NameChunk,
  type Place,
} from "../name-file-formats/name-chunk.ts";
import { isSeparator, looksLikeEmail } from "../name-file-formats/email-head.ts";
import type { NameBatch } from "../name-batch.ts";
import type { MessageEntry } from "./read-message.ts";

/** Length of the parts in which a pasted email is encoded, in UTF-16 code units. */
const encodedLength = 1 << 16;
/** Start of a line that is compared with the separator of mailbox files. */
const separatorBytes = 200;
const letterF = 0x46;

const nothingFound = "is an email without a link or a sender";

/** One message of a file: its bytes, as far as they are read, and where it is. */
interface Message {
  bytes: Uint8Array<ArrayBuffer>;
  isCut: boolean;
  start: Place;
  end: Place;
}

/**
 * Reads an email, or a mailbox file (RFC 4155) with several, as one chunk for each message. Reading resumes only between
 * two messages.
 *
 * @param wholeOnly skips the last message: it may still be being written
 */
export async function* readEmails(
  blocks: AsyncIterable<LineBlock>,
  { wholeOnly }: { wholeOnly: boolean },
): AsyncGenerator<NameChunk> {
  // Most lists are no emails, and need none of it.
  const { readMessage } = await import("./read-message.ts");
  for await (const message of messagesOf(blocks, wholeOnly)) {
    const entries = await readMessage(message.bytes);
    yield chunkOf(message, entries);
  }
}

async function* messagesOf(blocks: AsyncIterable<LineBlock>, wholeOnly: boolean): AsyncGenerator<Message> {
  const buffer = createMessageBuffer();
  let start: Place | undefined;
  let end: Place = { position: 0, line: 1 };
  let isBlankBefore = true;
  for await (const block of blocks) {
    const { bytes, starts, ends, nexts, count, firstLine, position } = block;
    const placeOf = (i: number): Place => ({ position: position + (starts[i] ?? 0), line: firstLine + i });
    start ??= placeOf(0);
    for (let i = 0; i < count; i++) {
      const [lineStart, lineEnd] = [starts[i] ?? 0, ends[i] ?? 0];
      const separates = isBlankBefore && bytes[lineStart] === letterF && isSeparator(lineText(block, i));
      if (separates && !buffer.isEmpty) {
        yield { ...buffer.take(), start, end: placeOf(i) };
        start = placeOf(i);
      }
      // The separator is no field of the header.
      if (lineEnd >= 0 && !separates) buffer.add(bytes, lineStart, lineEnd);
      isBlankBefore = lineEnd - lineStart <= 1;
    }
    const last = count - 1;
    // The position after an unterminated line is its start.
    const next = block.unterminated ? Math.max(ends[last] ?? 0, nexts[last] ?? 0) : (nexts[last] ?? 0);
    end = { position: position + next, line: firstLine + count };
  }
  if (start !== undefined && !buffer.isEmpty && !wholeOnly) yield { ...buffer.take(), start, end };
}

function lineText({ bytes, starts, ends }: LineBlock, index: number): string {
  const start = starts[index] ?? 0;
  return Buffer.from(
    bytes.buffer,
    bytes.byteOffset + start,
    Math.min(separatorBytes, Math.max(0, (ends[index] ?? 0) - start)),
  ).toString("latin1");
}

/** Makes a chunk whose entries are all at the line where the message begins. */
function chunkOf({ isCut, start, end }: Message, entries: readonly MessageEntry[]): NameChunk {
  const problem = isCut ? tooLong : nothingFound;
  const lines = entries.map(({ text }) => text);
  const hasProblem = isCut || entries.length === 0;
  const content = new TextEncoder().encode(`${[...lines, ...(hasProblem ? ["email"] : [])].join("\n")}\n`);
  const block = { ...cutLines(content, content.length), position: start.position, firstLine: start.line };
  const builder = createNameChunkBuilder();
  builder.start(block, block.bytes);
  for (let i = 0; i < lines.length; i++)
    addNameOrLink(builder, block.bytes, block.starts[i] ?? 0, block.ends[i] ?? 0, i);
  if (hasProblem) builder.error(problem, lines.length);
  const chunk = builder.finish(end);
  for (const array of [chunk.lines, chunk.nexts, chunk.nextLines]) array.fill(0, 0, chunk.count);
  return { ...chunk, forms: entries.map(({ form }) => form) };
}

/** Returns a part of a text without the first half of a surrogate pair at its end, unless it is nothing else. */
function wholeCharacters(part: string): string {
  const isHalf = part.length > 1 && /[\uD800-\uDBFF]$/.test(part);
  return isHalf ? part.slice(0, -1) : part;
}

/** Returns the batches of a pasted or submitted email; other text unchanged. */
export function itemOf(text: string): string | AsyncIterable<NameBatch<Place>> {
  return text.includes("\n") && looksLikeEmail(text) ? emailBatches(text) : text;
}

async function* emailBatches(text: string): AsyncGenerator<NameBatch<Place>> {
  const encoder = new TextEncoder();
  let read = 0;
  const source: ByteSource = {
    read: readPieces(async () => {
      // Memory never waits for I/O, so that nothing else would run.
      await new Promise<void>((resolve) => void setImmediate(resolve));
      // In parts, because encoding megabytes at once would stop other work.
      const part = wholeCharacters(text.slice(read, read + encodedLength));
      read += part.length;
      return part === "" ? undefined : encoder.encode(part);
    }),
    diskBytes: 0,
    close: () => Promise.resolve(),
  };
  for await (const chunk of readEmails(readLines(source), { wholeOnly: false })) yield batchOfChunk(chunk);
}

/** Maximum size of a message without the attachments, in bytes. */
const messageBytesMax = 1 << 20;
const tooLong = `has more than ${messageBytesMax / 2 ** 20} MiB of text or too many parts; only its start was read`;
const linesMax = 15_000;
/** A line that starts with `--` may separate two parts, which costs more than other lines. */
const separatorsMax = 500;
/** Start of an attachment that is kept, in bytes as encoded: attached pages are seldom larger. */
const encodedBytesMax = 384 << 10;
const encodedLineBytesMin = 40;
const dash = 0x2d;
const lineFeed = 0x0a;

/** 1 for the characters of base64 and the carriage return. */
const isEncoded = new Uint8Array(256);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\r")
  isEncoded[character.charCodeAt(0)] = 1;

/**
 * Collects the lines of one email up to a size that is parsed in a few milliseconds. Pictures and documents are most of
 * an email and contain no links that are read, so that only the start of what looks like an encoded attachment is kept.
 */
function createMessageBuffer() {
  let kept = new Uint8Array(1 << 14);
  let used = 0;
  let keptLines = 0;
  let separators = 0;
  let encodedBytes = 0;
  let isCut = false;

  function append(bytes: Uint8Array, start: number, end: number): void {
    const needed = used + end - start + 1;
    if (needed > kept.length) {
      const larger = new Uint8Array(Math.min(messageBytesMax, Math.max(needed, 2 * kept.length)));
      larger.set(kept.subarray(0, used));
      kept = larger;
    }
    for (let i = start; i < end; i++) kept[used++] = bytes[i] ?? 0;
    kept[used++] = lineFeed;
    keptLines++;
  }

  return {
    /** Whether no line of a message was added yet. */
    get isEmpty() {
      return keptLines === 0;
    },

    /** Adds the line `bytes[start..end)`, without its line feed. */
    add(bytes: Uint8Array, start: number, end: number) {
      // People leave lines empty when they paste.
      const isBlank = end - start <= 1;
      if (isCut || (isBlank && keptLines === 0)) return;
      encodedBytes = isEncodedLine(bytes, start, end) ? encodedBytes + end - start : 0;
      if (encodedBytes > encodedBytesMax) return;
      if (bytes[start] === dash && bytes[start + 1] === dash) separators++;
      isCut = used + end - start + 1 > messageBytesMax || keptLines >= linesMax || separators > separatorsMax;
      if (!isCut) append(bytes, start, end);
    },

    /** Returns the message and starts the next one. `isCut`: it had more than is read. */
    take() {
      const taken = { bytes: kept.slice(0, used), isCut };
      used = keptLines = separators = encodedBytes = 0;
      isCut = false;
      return taken;
    },
  };
}

function isEncodedLine(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < encodedLineBytesMin) return false;
  for (let i = start; i < end; i++) if (isEncoded[bytes[i] ?? 0] === 0) return false;
  return true;
}
