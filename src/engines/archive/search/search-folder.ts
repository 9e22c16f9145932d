/** Searches all names of an archive, on several processors if there is much to search. */
import type { ArchiveSource, StartArchiveThread, ThreadReply } from "../archive.ts";
import type { Worker } from "node:worker_threads";
import { dayMs, type Instant } from "../../../platform/lib/clock.ts";
import { listFolder, type Segment } from "../files/folder.ts";
import { compareSegments, createBlockSorter, findReplacement, openJournals } from "../files/reading.ts";
import { readRecords, type Group } from "../files/record.ts";
import { partsOf, searchPart, type PartResult, type SegmentPart } from "./parts.ts";
import { prepareSearch, type ArchiveQuery, type FoundName } from "./query.ts";
import type { SearchTask } from "./search-worker.ts";

/** Starting a thread takes longer than searching this many parts. */
const aloneMax = 2;
/** Parts queued for each thread, so that it always has work. */
const waitingPerThread = 2;
const threadsMax = 8;

export interface FolderSearch {
  folder: string;
  query: ArchiveQuery;
  /** Only names that were seen on this day or later. */
  since?: Instant | undefined;
  source?: ArchiveSource | undefined;
  /** How many names the caller needs at most. Default: all. */
  limit?: number;
  signal: AbortSignal;
  /** Maximum number of threads. */
  threads: number;
  startWorker: StartArchiveThread;
  onProgress?: (progress: SearchProgress) => void;
}

export interface SearchProgress {
  names: number;
  namesTotal: number;
  /** Bytes that could not be read. */
  damagedBytes: number;
}

/** A name that was found, with the first day and source in which it was seen. */
export interface ArchiveHit extends FoundName, Group {}

/** Yields each name that is found once, the earliest day first, except for names that arrived in the last minutes. */
export async function* searchFolder(options: FolderSearch): AsyncGenerator<ArchiveHit> {
  const { folder, query, since = 0, source, limit = Infinity, signal, onProgress } = options;
  // A part may contain as many names again that were found before.
  const foundMax = 2 * limit;
  const isWanted = (group: Group) =>
    group.day + dayMs > since && (source === undefined || group.source === source);
  // Journals first: a segment may be made from one in the meantime.
  const recent = await searchJournals(options, isWanted, foundMax);
  const segments = listFolder(folder).segments.filter(isWanted).sort(compareSegments);
  const namesTotal = segments.reduce((sum, { names }) => sum + names, 0);
  const progress: SearchProgress = { names: 0, namesTotal, damagedBytes: 0 };
  const seen = new Set<string>();
  const damagedBytes = createDamageCounter();
  const replacements = createReplacementSearch(folder, query, foundMax);
  const results = searchParts(segments.flatMap(partsOf), { ...options, foundMax });
  for await (const { part, result: ofPart } of results) {
    if (signal.aborted) return;
    const result = ofPart.isMissing ? await replacements(part.segment) : ofPart;
    progress.names += result.names;
    progress.damagedBytes += damagedBytes(part, ofPart);
    onProgress?.(progress);
    const { day, source: seenIn } = part.segment;
    for (const found of result.found) {
      if (seen.has(found.name)) continue;
      seen.add(found.name);
      yield { ...found, day, source: seenIn };
    }
  }
  for (const hit of recent) {
    if (seen.has(hit.name)) continue;
    seen.add(hit.name);
    yield hit;
  }
}

/**
 * Returns a function that searches the segment that replaced another one in the meantime. It finds nothing if it has
 * searched that segment before, in place of another part, or if the names were deleted.
 */
function createReplacementSearch(folder: string, query: ArchiveQuery, foundMax: number) {
  const searched = new Set<string>();
  return async (segment: Segment): Promise<PartResult> => {
    for (;;) {
      const other = findReplacement(folder, segment);
      if (other === undefined || searched.has(other.file))
        return { found: [], names: 0, bytes: 0, isComplete: false, isMissing: true };
      const search = await prepareSearch(query);
      const whole = { segment: other, start: 0, end: other.bytes };
      const result = await searchPart(folder, whole, { search, foundMax });
      if (result.isMissing) continue;
      searched.add(other.file);
      return result;
    }
  };
}

/**
 * Returns a function that takes the results of all parts, in order, and returns how many bytes of a segment could not
 * be read, after its last part. Blocks that are missing at the start of a part are known only then.
 */
function createDamageCounter(): (part: SegmentPart, result: PartResult) => number {
  let bytes = 0;
  let isComplete = true;
  return ({ segment, start, end }, result) => {
    bytes = (start === 0 ? 0 : bytes) + result.bytes;
    isComplete = (start === 0 || isComplete) && result.isComplete;
    return end === segment.bytes && isComplete ? segment.bytes - bytes : 0;
  };
}

/** Returns each name once, with the first day on which it is in a journal. */
async function searchJournals(
  { folder, query }: FolderSearch,
  isWanted: (group: Group) => boolean,
  foundMax: number,
): Promise<ArchiveHit[]> {
  const search = await prepareSearch(query);
  const sort = createBlockSorter();
  const hits = new Map<string, ArchiveHit>();
  const add = (hit: ArchiveHit) => {
    const known = hits.get(hit.name);
    if (known === undefined ? hits.size < foundMax : hit.day < known.day) hits.set(hit.name, hit);
  };
  await using opened = await openJournals(folder);
  for (const file of opened.journals) {
    for await (const { day, source, stored } of readRecords(file)) {
      if (isWanted({ day, source })) search(sort(stored).names, (found) => add({ ...found, day, source }));
    }
  }
  return [...hits.values()].sort((a, b) => a.day - b.day);
}

interface SearchedPart {
  part: SegmentPart;
  result: PartResult;
}

/** Yields the results in the order of the parts. */
async function* searchParts(
  parts: readonly SegmentPart[],
  { folder, query, threads, startWorker, foundMax }: FolderSearch & { foundMax: number },
): AsyncGenerator<SearchedPart> {
  const size = Math.min(threads, threadsMax);
  if (size < 2 || parts.length <= aloneMax) {
    const search = await prepareSearch(query);
    for (const part of parts) yield { part, result: await searchPart(folder, part, { search, foundMax }) };
    return;
  }
  const pool: ReturnType<typeof startSearcher>[] = [];
  try {
    while (pool.length < size) {
      const searcher = startSearcher(startWorker("archive-search"));
      pool.push(searcher);
      searcher.worker.postMessage({ folder, query, foundMax } satisfies SearchTask);
    }
    const waiting: Promise<SearchedPart>[] = [];
    for (const [index, part] of parts.entries()) {
      const result = pool[index % size]!.search(part).then((found) => ({ part, result: found }));
      // A failure is reported when its turn comes.
      result.catch(() => {});
      waiting.push(result);
      if (waiting.length > size * waitingPerThread) yield await waiting.shift()!;
    }
    for (const last of waiting) yield await last;
  } finally {
    await Promise.all(pool.map(({ worker }) => worker.terminate()));
  }
}

function startSearcher(worker: Worker) {
  const replies: PromiseWithResolvers<PartResult>[] = [];
  const fail = (error: unknown): void => {
    for (const reply of replies.splice(0)) reply.reject(error);
  };
  worker.on("message", (reply: ThreadReply<PartResult>) => {
    const waiting = replies.shift()!;
    if ("result" in reply) waiting.resolve(reply.result);
    else waiting.reject(new Error(reply.error));
  });
  worker.on("error", fail);
  worker.on("exit", () => fail(new Error("a worker thread exited early")));
  return {
    worker,
    search(part: SegmentPart): Promise<PartResult> {
      const reply = Promise.withResolvers<PartResult>();
      replies.push(reply);
      worker.postMessage(part);
      return reply.promise;
    },
  };
}
