/**
 * Prefilters a list of names on several processors: this thread reads blocks of complete lines, other threads screen
 * them, and names that may match are returned in the order of the list.
 */
import type { Matcher } from "../../../engines/detection/match/matcher.ts";
import type { StartWorker } from "../../../platform/vocabulary/threads.ts";
import type { ByteSource } from "../name-file-bytes/byte-source.ts";
import type { LineByLine, LineReading } from "../name-file-formats/formats.ts";
import { lineBytesMax } from "../name-file-formats/lines.ts";
import type { NameChunk, Place } from "../name-file-formats/name-chunk.ts";
import { createScreener, type WholeLines, type ScreenedChunk } from "./screener.ts";
import type { ScreeningTask } from "./screening-worker.ts";
import type { Worker } from "node:worker_threads";

/** How to prefilter a list while it is read. */
export interface Screening {
  matcher: Matcher;
  /** Maximum number of threads, including this one. */
  threads: number;
  startWorker: StartWorker;
}

/** Size of the blocks that threads screen: a few milliseconds of work. */
const blockBytes = 1 << 18;
/** Starting a thread takes longer than screening this much. */
const aloneBytesMax = 1 << 22;
/** With more threads, reading is the bottleneck. */
const threadsMax = 4;
/** Number of blocks queued for each thread, so that it always has work. */
const waitingPerThread = 2;
/** Number of results per thread that may wait for earlier ones, so that no thread waits for the slowest. */
const resultsPerThread = 16;
const lineFeed = 0x0a;

/** Where screening stopped before the end of the list: lines that depend on others, or a line too long for a block. */
export interface Rest {
  place: Place;
  /** The part of the list after `place` that was read. */
  head: Uint8Array;
}

/** A format whose lines other threads can read, and the parser of the list. */
export type SplitReading = Pick<LineReading, "parser"> & { lineByLine: LineByLine };

/**
 * Reads `source` from `place` and yields the names that may match.
 * @returns where it stopped before the end; undefined if it reached the end.
 */
export async function* screenedChunks(
  source: ByteSource,
  place: Place,
  { parser, lineByLine }: SplitReading,
  screening: Screening,
): AsyncGenerator<NameChunk, Rest | undefined> {
  const screen = createScreener(lineByLine, screening.matcher, parser);
  const threads = Math.min(screening.threads, threadsMax);
  const blocks = readWholeLines(source, lineByLine);
  const waiting: Promise<NameChunk>[] = [];
  let pool: Pool | undefined;
  let reached = place;
  let seenBytes = 0;

  const placed = (chunk: NameChunk): NameChunk => {
    const { position, line } = reached;
    reached = { position: position + chunk.end.position, line: line + chunk.end.line - 1 };
    return { ...chunk, position, firstLine: line, end: reached };
  };

  /** A failure is reported when its turn comes. Until then, nothing may be awaiting it. */
  const nextBlock = () => {
    const next = blocks.next();
    next.catch(() => {});
    return next;
  };

  try {
    let next = nextBlock();
    for (;;) {
      // If the list is written slowly, results are returned without waiting for the next block.
      const first = waiting[0];
      const full = pool !== undefined && waiting.length > pool.blocksMax;
      const ready =
        first === undefined
          ? undefined
          : await (full ? first : Promise.race([first, next.then(() => undefined)]));
      if (ready !== undefined) {
        void waiting.shift();
        yield placed(ready);
        continue;
      }
      const { value, done } = await next;
      if (done === true) {
        for (const last of waiting) yield placed(await last);
        return value === undefined ? undefined : { place: reached, head: value };
      }
      next = nextBlock();
      seenBytes += value.length;
      const isLong = seenBytes > aloneBytesMax;
      if (threads > 1 && isLong && lineByLine.continues !== true)
        pool ??= startPool(lineByLine, screening, threads - 1);
      if (pool === undefined) yield placed(screen(value));
      else {
        const screened = pool.screen(value) ?? Promise.resolve(screen(value));
        waiting.push(screened);
      }
    }
  } finally {
    await pool?.end();
    // Not awaited: a read may be pending until the list is written to or closed.
    void blocks.return(undefined).catch(() => {});
  }
}

/** Yields the complete lines of each read. Returns what was read of lines that are linked, or of one that is too long. */
async function* readWholeLines(
  source: ByteSource,
  { linkingBytes = [], startsLinked = false }: LineByLine,
): AsyncGenerator<WholeLines, Uint8Array | undefined> {
  let bytes = new Uint8Array(blockBytes);
  let filled = 0;
  let seenBytes = 0;
  const areLinked = (lines: Uint8Array): boolean => {
    seenBytes += lines.length;
    if (startsLinked && seenBytes <= aloneBytesMax) return false;
    return linkingBytes.some((byte) => lines.includes(byte));
  };
  for (;;) {
    const read = await source.read(bytes.subarray(filled));
    if (read === 0) break;
    const end = filled + 1 + bytes.subarray(filled, filled + read).lastIndexOf(lineFeed);
    const found = end > filled;
    filled += read;
    if (found) {
      if (areLinked(bytes.subarray(0, end))) return bytes.subarray(0, filled);
      const rest = bytes.slice(end, filled);
      yield { bytes, length: end };
      bytes = new Uint8Array(rest.length + blockBytes);
      bytes.set(rest);
      filled = rest.length;
    } else if (filled > lineBytesMax) return bytes.subarray(0, filled);
    else if (filled === bytes.length) {
      const larger = new Uint8Array(2 * bytes.length);
      larger.set(bytes);
      bytes = larger;
    }
  }
  if (filled === 0) return undefined;
  if (areLinked(bytes.subarray(0, filled))) return bytes.subarray(0, filled);
  const last = new Uint8Array(filled + 1);
  last.set(bytes.subarray(0, filled));
  last[filled] = lineFeed;
  yield { bytes: last, length: last.length, open: true };
  return undefined;
}

/** Worker threads. */
type Pool = ReturnType<typeof startPool>;

function startPool(format: LineByLine, { matcher, startWorker }: Screening, size: number) {
  const task: ScreeningTask = { format, tables: matcher.screeningTables() };
  const threads = Array.from({ length: size }, () => startScreeningThread(startWorker(), task));
  return {
    blocksMax: size * resultsPerThread,

    /** Returns undefined if all threads have enough work. */
    screen(lines: WholeLines): Promise<NameChunk> | undefined {
      const thread = threads.reduce((a, b) => (b.waiting < a.waiting ? b : a));
      return thread.waiting >= waitingPerThread ? undefined : thread.screen(lines);
    },
    async end() {
      await Promise.all(threads.map((thread) => thread.end()));
    },
  };
}

/** A thread that prefilters names. */
/** @param worker runs `serveScreening` */
export function startScreeningThread(worker: Worker, task: ScreeningTask) {
  const replies: PromiseWithResolvers<ScreenedChunk>[] = [];
  let ended: Error | undefined;
  worker.on("message", (screened: ScreenedChunk) => replies.shift()!.resolve(screened));
  const fail = (error: Error): void => {
    ended = error;
    for (const reply of replies.splice(0)) reply.reject(error);
  };
  worker.on("error", fail);
  worker.on("exit", () => fail(ended ?? new Error("a worker thread exited early")));
  worker.postMessage(task);
  return {
    /** Number of blocks that are in work or wait for it. */
    get waiting() {
      return replies.length;
    },

    /** Screens lines, whose buffer is transferred. Results arrive in the order of the calls. Rejects if the thread ends. */
    screen(lines: WholeLines) {
      const reply = Promise.withResolvers<ScreenedChunk>();
      // As a failure is reported when its turn comes, nothing may be awaiting it until then.
      reply.promise.catch(() => {});
      if (ended === undefined) {
        replies.push(reply);
        worker.postMessage(lines, [lines.bytes.buffer]);
      } else reply.reject(ended);
      return reply.promise;
    },
    end: async (): Promise<void> => void (await worker.terminate()),
  };
}
