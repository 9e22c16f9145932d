import { messageOf } from "../../../platform/lib/errors.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import type { ReadFeedFile } from "../feeds/feed-reader.ts";
import type { FetchDue, ListRows } from "./fetch-due.ts";
import type { FeedDownload } from "./tables.ts";
import { type UpdateDependencies, unreadFile } from "./update-list.ts";
import { type UrlFeedConfig, partLabel } from "./url-feed-config.ts";
import { open, rm } from "node:fs/promises";
import type { EntrySelection } from "../name-file-formats/name-chunk.ts";
import { NameListError, openProblem } from "../name-file-bytes/byte-source.ts";
import { readHashSet } from "../name-file-versions/compare-versions.ts";
import { createNameHash, hashOfEntry } from "../name-file-versions/name-hash.ts";

/** Delay after a failure that is not the source's, such as a full disk. */
const retryMs = 5 * 60_000;

interface UrlRoundsDependencies {
  feed: UrlFeedConfig;
  dependencies: UpdateDependencies;
  fetchDue: FetchDue;
  prepare: () => Promise<void>;
  read: ReadFeedFile;
}

/** Reads in each round what is not read yet, then fetches and reads what is due. */
export function createUrlRounds({ feed, dependencies, fetchDue, prepare, read }: UrlRoundsDependencies) {
  const { clock, folder, limits, log, store } = dependencies;
  const requestHash = hashOf(feed);
  let isRunning = false;
  let activity: "fetching" | "reading" | null = null;
  let failure: { problem: string; untilMs: number } | undefined;
  /** Rows of the feed, so that a feed with a thousand zones needs no query for each check whether a request is due. */
  let known: ListRows | undefined;
  /** Versions that were read to their end. */
  const complete = new Set<string>();

  async function runRound(signal: AbortSignal): Promise<void> {
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
    /** Does nothing for some minutes after a failure that is not the source's. Never rejects. */
    async round(signal: AbortSignal): Promise<void> {
      if (failure !== undefined && clock.monotonicMs() < failure.untilMs) return;
      isRunning = true;
      try {
        await runRound(signal);
        failure = undefined;
      } catch (error) {
        known = undefined;
        if (signal.aborted) return;
        failure = { problem: messageOf(error), untilMs: clock.monotonicMs() + retryMs };
        logDropped(log, error, "feed.not_processed");
      } finally {
        activity = null;
        isRunning = false;
      }
    },
    isRunning: () => isRunning,

    /** Work in progress, and why the last round failed for a reason that is not the source's. */
    state: () => ({ activity, problem: failure?.problem ?? null }),

    /** Reads the state of the feed again, because something else has changed it. */
    forget() {
      known = undefined;
      complete.clear();
    },
  };
}

/** Hashes the settings that determine the requests. */
function hashOf({ url, headers, query, username, password, zones }: UrlFeedConfig): string {
  return new Bun.CryptoHasher("sha256")
    .update(JSON.stringify([url, headers, query, username, password, zones]))
    .digest("hex");
}

/**
 * Reads the version in effect from where reading stopped, unless it was read to its end. A version that cannot be read is
 * forgotten, so that it is fetched again and scored as a whole.
 */
async function readVersion(
  { database, files, folder, store }: Pick<UpdateDependencies, "database" | "files" | "folder" | "store">,
  read: ReadFeedFile,
  feed: UrlFeedConfig,
  row: FeedDownload,
  signal: AbortSignal,
): Promise<FeedDownload> {
  const path = partLabel(row);
  const before = files.get(feed.name, path) ?? unreadFile(row);
  if (row.version === 0 || before.completedAt !== null || before.error !== null) return row;
  const paths = folder.paths(feed.name, row.part).of(row.version);
  const after = await read({
    feed: { ...feed, format: feed.type === "czds" ? "zone" : feed.format },
    path,
    open: () => openVersion(path, paths.list),
    isSelected: row.isAddedOnly ? await selectAdded(paths.added) : undefined,
    file: { bytes: before.bytes, modifiedAt: before.modifiedAt },
    before,
    toEnd: true,
    signal,
    onSave: () => {},
  });
  if ((after?.error ?? null) === null) return row;
  await rm(paths.hashes, { force: true });
  const next = { ...row, etag: null, lastModified: null, sha256: null };
  await database.write(() => store.save(next), { patient: true });
  return next;
}

async function openVersion(label: string, path: string) {
  try {
    return await open(path, "r");
  } catch (error) {
    throw new NameListError(label, openProblem(error), { cause: error });
  }
}

/** Selects the names that are new in a version. Without the file, all names are scored. */
async function selectAdded(path: string): Promise<EntrySelection | undefined> {
  const added = await readHashSet(path);
  if (added === undefined) return undefined;
  const hash = createNameHash(added.key);
  return (chunk, index) => added.hashes.has(hashOfEntry(hash, chunk, index));
}
