import { messageOf } from "../../../platform/lib/errors.ts";
import type { ListFormat } from "../../../platform/vocabulary/lists.ts";
import {
  prepend,
  readAhead,
  type ByteSource,
  NameListError,
  withoutByteOrderMark,
} from "../name-file-bytes/byte-source.ts";
import { openBytes, type ByteOptions } from "../name-file-bytes/bytes.ts";
import { readEmails } from "../emails/email-list.ts";
import { readJson } from "../name-file-formats/json-list.ts";
import { chooseReading, revealsFormat, type ListReading } from "../name-file-formats/formats.ts";
import { readLines, type LineBlock } from "../name-file-formats/lines.ts";
import {
  batchOfChunk,
  createNameChunkBuilder,
  dropBefore,
  type NameChunk,
  type Place,
} from "../name-file-formats/name-chunk.ts";
import { screenedChunks, type Screening } from "./screening.ts";

/** Length of the start of a list from which its format is detected. */
const headBytesMax = 1 << 16;

export interface NameListOptions extends ByteOptions {
  format?: ListFormat;
  /** csv: a heading or a number from 1; jsonl, json: a field, or a dotted path of fields. */
  column?: string;
  /** Where to resume: the `end` of an earlier chunk, or the position after an entry. */
  from?: Place;
  /** Skips a last line that has no line feed yet. */
  wholeLinesOnly?: boolean;
  /** Prefilters names, in several threads, if lines of the format can be read independently. */
  screening?: Screening;
}

/** A list of names that can be read once. */
export type NameList = Awaited<ReturnType<typeof openNameList>>;

/**
 * Opens a list of names: a file, or standard input for "-"; plain text, gzip, Zstandard or ZIP.
 * @throws NameListError here and while reading, with the file, the problem and the line reached; the signal's reason
 * once it is aborted.
 */
export async function openNameList(path: string, options: NameListOptions = {}) {
  const { format = "auto", column = "", from = start } = options;
  const source = await openBytes(path, options);
  try {
    const head = await readAhead(source, headBytesMax, revealsFormat);
    const text = withoutByteOrderMark(head);
    const fromStart = from.position === 0;
    const reading = chooseReading(source.fileName ?? path, text, { format, column, fromStart });
    if ("problem" in reading) throw new NameListError(path, reading.problem);
    const markBytes = head.length - text.length;
    const chunks = () => readChunks({ ...options, path, source, head, markBytes, reading, from });
    return {
      /** Returns the names in chunks of at most about 100 kB. Each is valid until the next one is requested. */
      chunks,
      /** Returns the same names for `Candidates.process()`. */
      async *batches() {
        for await (const chunk of chunks()) yield batchOfChunk(chunk);
      },
      /** Number of bytes read from disk so far, before decompression. */
      get diskBytes() {
        return source.diskBytes;
      },
      /** Whether positions in the text are positions on disk: the list is an uncompressed file. */
      seekable: source.seek !== undefined,
      close: () => source.close(),
    };
  } catch (error) {
    await source.close();
    throw error;
  }
}

const start: Place = { position: 0, line: 1 };

interface OpenList extends NameListOptions {
  path: string;
  source: ByteSource;
  head: Uint8Array;
  markBytes: number;
  reading: ListReading;
  from: Place;
}

async function* readChunks(options: OpenList): AsyncGenerator<NameChunk> {
  const { path, source, head, markBytes, reading, from, wholeLinesOnly = false, screening, signal } = options;
  const builder = createNameChunkBuilder();
  const isDocument = reading.format === "json" || reading.format === "misp";
  const stateful = isDocument || ("stateful" in reading && reading.stateful);
  let whole = prepend(head, source);
  let reached = stateful ? start : from;
  try {
    reached = { position: await skip(whole, Math.max(reached.position, markBytes)), line: reached.line };
    if (reading.format === "email") {
      for await (const chunk of readEmails(readLines(whole, reached), { wholeOnly: wholeLinesOnly })) {
        reached = chunk.end;
        yield chunk;
      }
      return;
    }
    if (!("parser" in reading)) {
      for await (const chunk of readJson(whole, reached, reading, { wholeOnly: wholeLinesOnly })) {
        dropBefore(chunk, from.position);
        reached = chunk.end;
        yield chunk;
      }
      return;
    }
    const { parser, lineByLine } = reading;
    const isWhole = !stateful || from.position === 0;
    if (screening !== undefined && lineByLine !== undefined && isWhole) {
      const screened = screenedChunks(whole, reached, { parser, lineByLine }, screening);
      try {
        let step = await screened.next();
        for (; step.done !== true; step = await screened.next()) {
          reached = step.value.end;
          yield step.value;
        }
        if (step.value === undefined) return;
        whole = prepend(step.value.head, whole);
      } finally {
        await screened.return(undefined);
      }
    }
    for await (const block of readLines(whole, reached)) {
      if (block.unterminated && wholeLinesOnly) return;
      const open = parser(block, builder);
      reached = placeAfter(block, open) ?? reached;
      const chunk = builder.finish(reached);
      if (stateful) dropBefore(chunk, from.position);
      yield chunk;
    }
  } catch (error) {
    // Not a problem of the list.
    signal?.throwIfAborted();
    const problem = error instanceof NameListError ? error.problem : `cannot be read (${messageOf(error)})`;
    const line = isDocument ? reached.line : reached.line - 1;
    throw new NameListError(path, problem, { line, cause: error });
  }
}

/** Returns where reading resumes after a block; undefined: where it would have resumed before the block. */
function placeAfter(block: LineBlock, openFrom: number | undefined): Place | undefined {
  const { position, firstLine, count, starts, nexts } = block;
  if (block.unterminated || openFrom === -1) return undefined;
  if (openFrom !== undefined) return { position: position + starts[openFrom]!, line: firstLine + openFrom };
  return { position: position + nexts[count - 1]!, line: firstLine + count };
}

async function skip(source: ByteSource, position: number): Promise<number> {
  if (source.seek !== undefined) source.seek(position);
  else {
    const dropped = new Uint8Array(headBytesMax);
    for (let left = position; left > 0;) {
      const read = await source.read(dropped.subarray(0, Math.min(left, dropped.length)));
      if (read === 0) break;
      left -= read;
    }
  }
  return position;
}
