/** Searches of the archive on behalf of people, who wait for results and may leave. */
import type { Archive, ArchiveSource, StartArchiveThread } from "../archive.ts";
import { dayMs, type Clock, type Instant, type Timer } from "../../../platform/lib/clock.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import type { Yielder } from "../../../platform/lib/yielder.ts";
import { prepareSearch, type ArchiveQuery, type FoundName } from "./query.ts";
import { searchFolder, type ArchiveHit, type SearchProgress } from "./search-folder.ts";

/** Maximum number of names that a search returns. It ends when it has found more. */
export const hitsMax = 500;
const runningMax = 2;
/** Searches whose results are kept. */
const keptMax = 8;
/** A search that is fast enough responds with all results. */
const waitMs = 1_000;
/** The results of a search that was not requested for this long are deleted: its visitor has left. */
const abandonedMs = 20_000;
/** Threads for one search. With one, this thread would search. */
const threads = 2;

export interface SearchTerms {
  query: ArchiveQuery;
  /** Only names that were seen on this day or later. */
  since: Instant | undefined;
  source: ArchiveSource | undefined;
}

export interface NameSearch extends SearchProgress {
  state: "running" | "completed" | "failed";
  /** Each name once, the earliest day first. */
  hits: readonly ArchiveHit[];
  /** More names match than were returned. */
  isLimited: boolean;
  error: string | null;
}

export type NameSearches = ReturnType<typeof openNameSearches>;

interface Entry {
  found: NameSearch;
  ended: Promise<void>;
  stopping: AbortController;
  abandoned: Timer;
}

interface NameSearchesDependencies {
  archive: Pick<Archive, "extent" | "flush" | "read">;
  clock: Clock;
  folder: string | undefined;
  /** Called with the error of a search that failed. */
  onError: (error: unknown) => void;
  startWorker: StartArchiveThread | undefined;
  yielder: () => Yielder;
}

/**
 * Opens the searches of an archive in a folder, or of one in memory.
 * @param startWorker starts the threads that search; without it, this thread does, between other work
 */
export function openNameSearches(dependencies: NameSearchesDependencies) {
  const { clock, onError } = dependencies;
  const entries = new Map<string, Entry>();

  function discard(key: string): void {
    const entry = entries.get(key);
    entries.delete(key);
    entry?.abandoned.cancel();
    entry?.stopping.abort();
  }

  async function run(terms: SearchTerms, found: NameSearch, signal: AbortSignal): Promise<void> {
    const hits: ArchiveHit[] = [];
    found.hits = hits;
    try {
      const onProgress = (progress: SearchProgress) => void Object.assign(found, progress);
      for await (const hit of searchNames(dependencies, { ...terms, signal, onProgress })) {
        found.isLimited = hits.length === hitsMax;
        if (found.isLimited) break;
        hits.push(hit);
      }
      found.state = "completed";
    } catch (error) {
      onError(error);
      found.error = messageOf(error);
      found.state = "failed";
    }
  }

  function begin(terms: SearchTerms, key: string): Entry | undefined {
    const running = [...entries.values()].filter(({ found }) => found.state === "running");
    if (running.length >= runningMax) return undefined;
    const [oldest] = [...entries].find(([, { found }]) => found.state !== "running") ?? [];
    if (entries.size >= keptMax && oldest !== undefined) discard(oldest);
    const stopping = new AbortController();
    const found: NameSearch = {
      state: "running",
      hits: [],
      isLimited: false,
      error: null,
      names: 0,
      namesTotal: 0,
      damagedBytes: 0,
    };
    const ended = run(terms, found, stopping.signal);
    const entry = { found, ended, stopping, abandoned: clock.after(abandonedMs, () => discard(key)) };
    entries.set(key, entry);
    return entry;
  }

  return {
    /**
     * Begins a search, or continues it if it was begun before. Resolves after a second at most, with the results so far.
     * Returns undefined if too many other searches are running.
     */
    async search(terms: SearchTerms): Promise<Readonly<NameSearch> | undefined> {
      const key = JSON.stringify(terms);
      const entry = entries.get(key) ?? begin(terms, key);
      if (entry === undefined) return undefined;
      entry.abandoned.cancel();
      entry.abandoned = clock.after(abandonedMs, () => discard(key));
      const waited = Promise.withResolvers<void>();
      const timer = clock.after(waitMs, waited.resolve);
      await Promise.race([entry.ended, waited.promise]);
      timer.cancel();
      return entry.found;
    },
    stop() {
      for (const key of entries.keys()) discard(key);
    },
  };
}

type SearchOptions = SearchTerms & { signal: AbortSignal; onProgress: (progress: SearchProgress) => void };

/** Yields the names that match, the earliest day first. */
async function* searchNames(
  { archive, folder, startWorker, yielder }: NameSearchesDependencies,
  options: SearchOptions,
): AsyncGenerator<ArchiveHit> {
  await archive.flush();
  if (folder === undefined || startWorker === undefined) yield* searchBlocks(archive, options, yielder());
  else yield* searchFolder({ folder, threads, startWorker, ...options });
}

/** Searches the blocks of an archive in this thread. Yields each name once, the earliest day first. */
async function* searchBlocks(
  archive: Pick<Archive, "extent" | "read">,
  { query, since = 0, source, signal, onProgress }: SearchOptions,
  yielder: Yielder,
): AsyncGenerator<ArchiveHit> {
  const search = await prepareSearch(query);
  const { names: namesTotal } = await archive.extent();
  const seen = new Set<string>();
  let names = 0;
  for await (const block of archive.read({ signal })) {
    const { day } = block;
    names += block.count;
    onProgress({ names, namesTotal, damagedBytes: 0 });
    if (day + dayMs <= since || (source !== undefined && block.source !== source)) continue;
    const found: FoundName[] = [];
    search(block.names, (one) => found.push(one));
    for (const one of found) {
      if (seen.has(one.name)) continue;
      seen.add(one.name);
      yield { ...one, day, source: block.source };
    }
    if (yielder.due()) await yielder.pause();
  }
}
