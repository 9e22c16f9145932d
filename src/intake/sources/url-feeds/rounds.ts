import { messageOf } from "../../../platform/lib/errors.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import type { ReadFeedFile } from "../feeds/feed-reader.ts";
import type { SourcePausing } from "../pauses/source-pauses.ts";
import type { FetchDue, ListRows } from "./fetch-due.ts";
import { readVersion } from "./read-version.ts";
import type { FeedDownload } from "./tables.ts";
import type { UpdateDependencies } from "./update-list.ts";
import type { UrlFeedConfig } from "./url-feed-config.ts";

/** Delay after a failure that is not the source's, such as a full disk. */
const retryMs = 5 * 60_000;

/** Runs one round of a feed at a time: reads what is not read yet, then fetches and reads what is due. */
export interface Rounds {
  /** A call during a round joins it. Never rejects. */
  run(): Promise<void>;
  isRunning(): boolean;
  /** Resolves when no round is in progress. */
  idle(): Promise<void>;
  /** Work in progress, and why the last round failed for a reason that is not the source's. */
  state(): { activity: "fetching" | "reading" | null; problem: string | null };
  /** Reads the state of the feed again, because something else has changed it. */
  forget(): void;
  stop(): Promise<void>;
}

export function createRounds({
  feed,
  dependencies,
  fetchDue,
  pausing,
  prepare,
  read,
}: {
  feed: UrlFeedConfig;
  dependencies: UpdateDependencies;
  fetchDue: FetchDue;
  pausing: SourcePausing;
  prepare: () => Promise<void>;
  read: ReadFeedFile;
}): Rounds {
  const { clock, folder, limits, log, store } = dependencies;
  const requestHash = hashOf(feed);
  const stopping = new AbortController();
  let activity: "fetching" | "reading" | null = null;
  let running: Promise<void> | undefined;
  let failure: { problem: string; untilMs: number } | undefined;
  /** Rows of the feed, so that a feed with a thousand zones needs no query for each check whether a request is due. */
  let known: ListRows | undefined;
  /** Versions that were read to their end. */
  const complete = new Set<string>();

  async function round(signal: AbortSignal): Promise<void> {
    await prepare();
    const rows: ListRows = known ?? new Map(store.list(feed.name).map((row) => [row.part, row]));
    for (const row of rows.values()) rows.set(row.part, await readRest(row, signal));
    known = rows;
    const onFetched = async (row: FeedDownload) => {
      rows.set(row.part, await readRest(row, signal));
      await folder.deletePrevious(row);
    };
    const onActive = () => void (activity = "fetching");
    await fetchDue({ dependencies, feed, requestHash, rows, onFetched, onActive, signal });
  }

  async function readRest(row: FeedDownload, signal: AbortSignal): Promise<FeedDownload> {
    signal.throwIfAborted();
    const id = JSON.stringify([row.part, row.version]);
    if (row.version === 0 || complete.has(id)) return row;
    const after = await limits.readings(() => {
      activity = "reading";
      return readVersion(dependencies, read, feed, row, signal);
    });
    signal.throwIfAborted();
    complete.add(id);
    return after;
  }

  return {
    run() {
      if (running !== undefined) return running;
      const isWaiting = failure !== undefined && clock.monotonicMs() < failure.untilMs;
      if (isWaiting || stopping.signal.aborted || pausing.isPaused()) return Promise.resolve();
      const signal = AbortSignal.any([stopping.signal, pausing.signal()]);
      running = round(signal)
        .then(() => void (failure = undefined))
        .catch((error: unknown) => {
          known = undefined;
          if (signal.aborted) return;
          failure = { problem: messageOf(error), untilMs: clock.monotonicMs() + retryMs };
          logDropped(log, error, "feed.not_processed");
        })
        .finally(() => {
          activity = null;
          running = undefined;
        });
      return running;
    },
    isRunning: () => running !== undefined,
    idle: async () => void (await running),
    state: () => ({ activity, problem: failure?.problem ?? null }),
    forget() {
      known = undefined;
      complete.clear();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** Hashes the settings that determine the requests. */
function hashOf({ url, headers, query, username, password, zones }: UrlFeedConfig): string {
  return new Bun.CryptoHasher("sha256")
    .update(JSON.stringify([url, headers, query, username, password, zones]))
    .digest("hex");
}
