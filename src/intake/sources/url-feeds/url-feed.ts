import { describeSourceError } from "../../../platform/network/failure.ts";
import { sumOf } from "../../../platform/lib/sums.ts";
import type { SourceNeeds } from "../needs.ts";
import { allowedAddresses } from "../../../platform/network/resolve.ts";
import type { ReadFeedFile } from "../feeds/feed-reader.ts";
import { resultOf, type FeedStatus } from "../feeds/feed-status.ts";
import { createFeedLoop, type FeedWatcher } from "../feeds/feed-loop.ts";
import { type SourceCheck, describeOverdue, type Overdue, type SourceStatus } from "../source.ts";
import type { FetchDue, ListRows } from "./fetch-due.ts";
import {
  createDownloadRecords,
  unreadList,
  updateList,
  type FeedUpdates,
  type ListRequest,
  type UpdateDependencies,
} from "./update-list.ts";
import { partLabel, unchangedOf, type FetchFailure, type UrlFeedConfig } from "./download-state.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import type { FeedDownload } from "./tables.ts";
import { open, rm } from "node:fs/promises";
import type { EntrySelection } from "../name-file-formats/name-chunk.ts";
import { NameListError, openProblem } from "../name-file-bytes/byte-source.ts";
import { readHashSet } from "../name-file-versions/compare-versions.ts";
import { createNameHash, hashOfEntry } from "../name-file-versions/name-hash.ts";
import { type Instant, toPlainTime } from "../../../platform/lib/clock.ts";
import { counted } from "../../../platform/lib/wording.ts";
import type { FeedFile } from "../feeds/tables.ts";

/** When to check whether a request is due. */
const checkPattern = "*/15 * * * * *";
const inMemory = "Lists are fetched only if the database is a file.";

interface RoundDependencies {
  feed: UrlFeedConfig;
  dependencies: UpdateDependencies;
  fetchDue: FetchDue;
  /** Prepares the folder of the lists, once for all feeds. */
  prepare: () => Promise<void>;
  read: ReadFeedFile;
}

interface UrlFeedDependencies extends RoundDependencies, SourceNeeds<"pausing" | "resolveHost"> {
  /** Address of the source, without secrets. */
  location: string;
  /** Whether the database is a file, next to which lists can be stored. */
  isShared: boolean;
}

/** A declared feed whose lists are fetched by a schedule. */
export function createUrlFeed(given: UrlFeedDependencies): FeedWatcher {
  const { feed, location, dependencies, isShared, pausing, resolveHost } = given;
  const { clock, files, log, store } = dependencies;
  const { forget, isRunning, round, state } = createUrlRounds(given);

  function status(): FeedStatus {
    const { activity, problem } = state();
    const known = { rows: store.list(feed.name), files: files.list(feed.name), activity, now: clock.now() };
    const found = urlFeedStatus(feed, location, known);
    return { ...found, problem: problem ?? found.problem };
  }

  function again(path: string): (() => void) | undefined {
    const row = store.list(feed.name).find((one) => partLabel(one) === path);
    if (row === undefined) return undefined;
    return () => {
      // A list that could not be fetched is fetched now, whether or not an earlier version is in effect.
      const isFetched = row.version === 0 || row.problem !== null;
      store.save(isFetched ? { ...row, dueAt: null } : { ...row, isAddedOnly: false });
      if (!isFetched) files.save(unreadList(row));
      forget();
    };
  }

  async function check(): Promise<SourceCheck> {
    if (store.list(feed.name).length > 0) return checkUrlFeed(watcher.status());
    const { hostname } = new URL(location);
    const rules = { allowPrivateNetworks: feed.allowPrivateNetworks };
    try {
      await allowedAddresses({ hostname, rules, resolveHost });
      return { level: "ok", detail: `${location}: not fetched yet` };
    } catch (error) {
      return { level: "error", detail: `${location}: ${describeSourceError(error)}` };
    }
  }

  const rounds = () => ({ again, check, isReading: isRunning, round, status });
  const watcher = createFeedLoop({ clock, name: feed.name, pattern: checkPattern, pausing, rounds });
  const reportMemory = () => log.event("feed.not_fetched", { feed: feed.name, reason: inMemory });
  return isShared ? watcher : { ...watcher, start: reportMemory };
}

/** Delay after a failure that is not the source's, such as a full disk. */
const retryMs = 5 * 60_000;

/** Reads in each round what is not read yet, then fetches and reads what is due. */
function createUrlRounds({ feed, dependencies, fetchDue, prepare, read }: RoundDependencies) {
  const { clock, folder, limits, log, store } = dependencies;
  const updates = { dependencies, feed, records: createDownloadRecords(dependencies, feed) };
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
    const onActive = () => void (activity = "fetching");
    const fetch = async (request: ListRequest) => {
      onActive();
      const { row, status } = await updateList(updates, request, signal);
      rows.set(row.part, row);
      rows.set(row.part, await readRest(row, signal));
      await folder.deletePrevious(row);
      return status;
    };
    const fail = async (row: FeedDownload, why: FetchFailure) =>
      void rows.set(row.part, await updates.records.failed(row, why));
    await fetchDue({ ...updates, requestHash, rows, onActive, fetch, fail, signal });
  }

  async function readRest(row: FeedDownload, signal: AbortSignal): Promise<FeedDownload> {
    signal.throwIfAborted();
    const id = JSON.stringify([row.part, row.version]);
    if (row.version === 0 || complete.has(id)) return row;
    const after = await limits.readings(() => {
      activity = "reading";
      return readVersion(updates, read, row, signal);
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
  { dependencies: { files, folder }, feed, records }: FeedUpdates,
  read: ReadFeedFile,
  row: FeedDownload,
  signal: AbortSignal,
): Promise<FeedDownload> {
  const path = partLabel(row);
  const before = files.get(feed.name, path) ?? unreadList(row);
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
  return records.save({ ...row, etag: null, lastModified: null, sha256: null });
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

/** A source that failed this often in a row is reported as unavailable although its last list is in effect. */
const failuresShown = 3;

interface UrlFeedState {
  rows: readonly FeedDownload[];
  files: readonly FeedFile[];
  /** Work in progress; null: none. */
  activity: "fetching" | "reading" | null;
  now: Instant;
}

/** Describes a feed whose lists are fetched. */
function urlFeedStatus(
  feed: Pick<UrlFeedConfig, "name" | "schedule">,
  location: string,
  { rows, files, activity, now }: UrlFeedState,
): FeedStatus {
  const lists = rows.filter(({ version }) => version > 0);
  const newest = lists.reduce<FeedDownload | undefined>(
    (latest, row) => ((row.fetchedAt ?? 0) > (latest?.fetchedAt ?? 0) ? row : latest),
    undefined,
  );
  return {
    name: feed.name,
    location,
    state: stateOf(rows, lists, activity),
    problem: problemOf(rows, files),
    overdue: overdueOf(lists, feed.schedule, now),
    latest: newest === undefined ? null : { name: partLabel(newest), at: newest.fetchedAt! },
    amounts: [
      { count: lists.length, unit: "list" },
      { count: sumOf(lists, "names").names, unit: "name" },
    ],
    ...resultOf(files),
    files: filesOf(rows, files),
    skipped: { total: 0, first: [] },
  };
}

function stateOf(
  rows: readonly FeedDownload[],
  lists: readonly FeedDownload[],
  activity: UrlFeedState["activity"],
): SourceStatus["state"] {
  if (activity !== null) return "reading";
  const isFailing = rows.some(({ problem, failures }) => problem !== null && failures >= failuresShown);
  if (isFailing || (lists.length === 0 && rows.some(({ problem }) => problem !== null))) return "unavailable";
  return lists.length === 0 ? "waiting" : "watching";
}

function problemOf(rows: readonly FeedDownload[], files: readonly FeedFile[]): string | null {
  const faulty = rows.filter(({ problem }) => problem !== null);
  const [first] = faulty;
  if (first !== undefined) {
    const where = first.part === "" ? "" : `${first.part}: `;
    const more = faulty.length === 1 ? "" : ` (and ${counted(faulty.length - 1, "more list")})`;
    const kept =
      first.fetchedAt === null ? "" : ` The list of ${toPlainTime(first.fetchedAt)} stays in effect.`;
    return `${where}${first.problem}${more}${kept}`;
  }
  const unread = files.find(({ error }) => error !== null);
  return unread === undefined ? null : `${unread.path} ${unread.error}`;
}

/** Returns the longest silence of a feed, which needs all of its lists to be silent. */
function overdueOf(lists: readonly FeedDownload[], schedule: string, now: Instant): Overdue | null {
  const all = lists.map((row) => unchangedOf(row, schedule, now));
  const silent = all.filter((one) => one !== null);
  if (silent.length === 0 || silent.length < all.length) return null;
  return silent.reduce((a, b) => (a.sinceMs < b.sinceMs ? a : b));
}

/** Lists that were never read appear with the reason. */
function filesOf(rows: readonly FeedDownload[], files: readonly FeedFile[]): FeedFile[] {
  const read = new Map(files.map((file) => [file.path, file]));
  return rows
    .filter(({ part, version, problem }) => part !== "" || version > 0 || problem !== null)
    .map((row) => {
      const file = read.get(partLabel(row)) ?? unreadList(row);
      return { ...file, error: row.problem ?? file.error };
    });
}

/** Returns the result of a check of a feed that was fetched before, or that must not be fetched now. */
function checkUrlFeed({ location, problem, overdue, amounts, latest }: FeedStatus): SourceCheck {
  const text = amounts.map(({ count, unit }) => counted(count, unit)).join(", ");
  if (problem !== null)
    return { level: latest === null ? "error" : "warning", detail: `${location}: ${problem}` };
  if (overdue !== null) return { level: "warning", detail: `${location}: ${describeOverdue(overdue)}` };
  return { level: "ok", detail: `${location}: ${text}` };
}
