/**
 * A list of names on all processors: this thread reads and cuts between lines, others screen what lies between
 * the cuts, and what may be an imitation comes out in the list's order.
 */
import type { Worker } from "node:worker_threads";
import type { Matcher } from "../../detection/match/matcher.ts";
import type { ByteSource } from "./bytes.ts";
import { lineBytesMax } from "./lines.ts";
import type { NameChunk, Place } from "./name-chunk.ts";
import type { ScreeningTask } from "./screening-worker.ts";
import { createScreener, type LineByLine, type WholeLines } from "./screener.ts";

/** By whom and with how many threads a list is screened while it is read. */
export interface Screening {
  matcher: Matcher;
  /** How many threads may work at once; with one there is no other than this. */
  threads: number;
  /** Starts a thread that runs `serveScreening`. */
  startWorker: () => Worker;
}

/** So much goes to a thread at once: some milliseconds of work. */
const blockBytes = 1 << 18;
/** A thread takes longer to start than so much takes to be screened. */
const aloneBytesMax = 1 << 22;
/** Beyond these reading is what takes the time. */
const threadsMax = 4;
/** Blocks that wait for one thread, so that it always has something to do. */
const waitingPerThread = 2;
/** Blocks whose results wait for those before them, so that nobody has to wait for the slowest. */
const resultsPerThread = 16;
const lineFeed = 0x0a;

/** Where screening ended before the list did: at a line that is too long to be handed over. */
export interface Rest {
  place: Place;
  /** What was read of the line. */
  head: Uint8Array;
}

/**
 * Reads `source` from `place` on and yields what has to be looked at.
 * @returns where it stopped before the end, if it did.
 */
export async function* screenedChunks(
  source: ByteSource,
  place: Place,
  format: LineByLine,
  screening: Screening,
): AsyncGenerator<NameChunk, Rest | undefined> {
  const screen = createScreener(format, screening.matcher);
  const threads = Math.min(screening.threads, threadsMax);
  const blocks = readWholeLines(source);
  const waiting: Promise<NameChunk>[] = [];
  let pool: Pool | undefined;
  let reached = place;
  let seenBytes = 0;

  const placed = (chunk: NameChunk): NameChunk => {
    const { position, line } = reached;
    reached = { position: position + chunk.end.position, line: line + chunk.end.line - 1 };
    return { ...chunk, position, firstLine: line, end: reached };
  };

  try {
    let next = blocks.next();
    for (;;) {
      // Whoever writes the list slowly shall see the results of what was written.
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
      next = blocks.next();
      seenBytes += value.length;
      if (threads > 1 && seenBytes > aloneBytesMax) pool ??= startPool(format, screening, threads - 1);
      if (pool === undefined) yield placed(screen(value));
      else {
        const screened = pool.screen(value) ?? Promise.resolve(screen(value));
        // One that fails is told when its turn comes; until then nobody may be waiting for it.
        screened.catch(() => {});
        waiting.push(screened);
      }
    }
  } finally {
    await pool?.end();
    // Not waited for: a read may be under way until somebody writes, or closes the list.
    void blocks.return(undefined).catch(() => {});
  }
}

/** Cuts behind the last line feed of what could be read at once. @returns the start of a line that is too long. */
async function* readWholeLines(source: ByteSource): AsyncGenerator<WholeLines, Uint8Array | undefined> {
  let bytes = new Uint8Array(blockBytes);
  let filled = 0;
  for (;;) {
    const read = await source.read(bytes.subarray(filled));
    if (read === 0) break;
    const end = filled + 1 + bytes.subarray(filled, filled + read).lastIndexOf(lineFeed);
    const found = end > filled;
    filled += read;
    if (found) {
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
  const last = new Uint8Array(filled + 1);
  last.set(bytes.subarray(0, filled));
  last[filled] = lineFeed;
  yield { bytes: last, length: last.length, open: true };
  return undefined;
}

/** Threads beside this one. */
interface Pool {
  blocksMax: number;
  /** Undefined where all have enough to do. */
  screen(lines: WholeLines): Promise<NameChunk> | undefined;
  end(): Promise<void>;
}

function startPool(format: LineByLine, { matcher, startWorker }: Screening, size: number): Pool {
  const task: ScreeningTask = { format, tables: matcher.screeningTables() };
  const threads = Array.from({ length: size }, () => {
    const worker = startWorker();
    const answers: PromiseWithResolvers<NameChunk>[] = [];
    worker.on("message", (screened: NameChunk) => answers.shift()!.resolve(screened));
    const fail = (error: unknown): void => {
      for (const answer of answers.splice(0)) answer.reject(error);
    };
    worker.on("error", fail);
    worker.on("exit", () => fail(new Error("a thread ended before its work")));
    worker.postMessage(task);
    return { worker, answers };
  });
  return {
    blocksMax: size * resultsPerThread,
    screen(lines) {
      const { worker, answers } = threads.reduce((a, b) => (b.answers.length < a.answers.length ? b : a));
      if (answers.length >= waitingPerThread) return undefined;
      const answer = Promise.withResolvers<NameChunk>();
      answers.push(answer);
      worker.postMessage(lines, [lines.bytes.buffer]);
      return answer.promise;
    },
    async end() {
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
}
