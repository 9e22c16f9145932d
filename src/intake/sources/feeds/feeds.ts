import type { Actor } from "../../../access/audit/actor.ts";
import type { Needs } from "../../../access/audit/needs.ts";
import { notFound } from "../../../platform/lib/errors.ts";
import { createLimiter, type Limiter } from "../../../platform/lib/limiter.ts";
import type { SourceNeeds } from "../needs.ts";
import { createFeedFileStore, type FeedFileStore } from "./feed-file-store.ts";
import { feedKind, type SourceStatus } from "../source.ts";
import { createFeedReader, type Feed, type ReadFeedFile } from "./feed-reader.ts";
import { checkFeed, feedStatus } from "./feed-status.ts";
import { type FeedWatcher, createFeedLoop } from "./feed-loop.ts";
import type { Clock, Instant } from "../../../platform/lib/clock.ts";
import { logDropped, type Log } from "../../../platform/lib/log.ts";
import { growthOf } from "../../../platform/lib/sums.ts";
import { listFiles, openFeedFile, readFingerprint, watchForHints, type SkippedFiles } from "./feed-folder.ts";
import {
  type CheckTime,
  decide,
  settledMs,
  watch,
  type FileState,
  type ReadDecision,
  type Watched,
} from "./read-decision.ts";
import type { FeedFile } from "./tables.ts";

/** Reading occupies the only thread: two files at a time, so that a long list does not delay a short one. */
const readingsMax = 2;

/** The feeds that the configuration declares. */
export type Feeds = ReturnType<typeof createFeeds>;

/** Recognizes a feed that reads a file or a folder. */
export function isFolderFeed<T extends { path: string | null }>(feed: T): feed is T & { path: string } {
  return feed.path !== null;
}

/** Returns a function that creates a feed that reads a file or a folder. */
export function createFolderFeeds(
  dependencies: SourceNeeds<"candidates" | "clock" | "database" | "inspectFeed" | "log" | "pauses">,
): (feed: Feed) => FeedWatcher {
  const { database, pauses } = dependencies;
  const files = createFeedFileStore(database);
  const read = createFeedReader({ ...dependencies, files });
  const limit = createLimiter(readingsMax);
  return (feed) => {
    const pausing = pauses.of({ kind: feedKind, name: feed.name });
    return createFeedWatcher({ ...dependencies, feed, files, read, limit, pausing });
  };
}

/** @param watchers returns the present feeds */
export function createFeeds({
  auditLog,
  database,
  watchers,
}: Needs<"auditLog" | "database"> & { watchers: () => readonly FeedWatcher[] }) {
  return {
    get sources() {
      return watchers();
    },
    status: () => watchers().map((watcher) => watcher.status()),

    /**
     * Reads a file from its start again, for example after more domains are protected. No threat is created twice.
     * @throws PublicError `not_found`; `bad_request` while the feed is paused or being read.
     */
    readAgain: (name: string, path: string, { by }: { by: Actor }) =>
      database.transaction(() => {
        const watcher = watchers().find((one) => one.name === name);
        if (watcher?.readAgain(path) !== true) throw notFound("There is no file with this path in a feed.");
        auditLog.record(by, "feed.read_again", name, { path });
      }),

    /** Resolves when no check of a feed is in progress. Checks that are due later do not count. */
    idle: async (): Promise<void> => void (await Promise.all(watchers().map((watcher) => watcher.idle()))),
  };
}

const checkPattern = "*/5 * * * * *";
/** Delay between a hint and the check: a hint may be the first of many, and one check covers them all. */
const hintDelayMs = 500;
/** How long a file that was removed counts as read, as it may only be away for a while. */
const removedKeptMs = 30 * 86_400_000;

interface FeedWatcherDependencies extends SourceNeeds<"clock" | "log" | "pausing"> {
  feed: Feed;
  files: FeedFileStore;
  read: ReadFeedFile;
  limit: Limiter;
}

/** Watches one feed and reads its files as they arrive. */
function createFeedWatcher(dependencies: FeedWatcherDependencies): FeedWatcher {
  const { feed, files, limit, clock, log, pausing } = dependencies;
  const known = createKnownFiles(feed.name, files);
  const watched = new Map<string, Watched>();
  let state: SourceStatus["state"] = "waiting";
  let missing: string | null = null;
  let skipped: SkippedFiles = { total: 0, first: [] };
  let isStarted = false;
  let hints: { stop(): void } | undefined;

  async function checkOnce(signal: AbortSignal, runSoon: (delayMs: number) => void): Promise<void> {
    const listing = await listFiles(feed.path);
    if (signal.aborted) return;
    if ("missing" in listing) return reportMissing(listing.missing);
    if (state === "unavailable") log.event("feed.available", { feed: feed.name, path: feed.path });
    if (state !== "reading") state = "watching";
    missing = null;
    if (listing.skipped.total > 0) logSkipped(log, feed, skipped, listing.skipped);
    skipped = listing.skipped;
    hints ??= watchForHints(feed.path, () => runSoon(hintDelayMs));
    const present = watchAll(watched, listing.files, clock.monotonicMs());
    known.forgetRemoved(present, clock.now());
    let waiting = false;
    for (const { path, ...file } of listing.files) {
      if (signal.aborted) return;
      const decision = decide(known.get(path), watched.get(path)!, checkTime(clock));
      if (decision.do === "wait") waiting = true;
      else if (decision.do !== "nothing")
        waiting = (await limit(() => readFile({ path, file, decision }, signal))) || waiting;
    }
    if (waiting) runSoon(settledMs);
  }

  function reportMissing(reason: string): void {
    if (state !== "unavailable") log.event("feed.unavailable", { feed: feed.name, path: feed.path, reason });
    state = "unavailable";
    missing = reason;
    hints?.stop();
    hints = undefined;
  }

  async function readFile(toRead: ToRead, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    state = "reading";
    try {
      return await readDecided({ ...dependencies, known, signal }, toRead);
    } finally {
      state = "watching";
    }
  }

  return createFeedLoop({
    clock,
    name: feed.name,
    pattern: checkPattern,
    pausing,
    rounds: (runSoon) => ({
      round: (signal) =>
        checkOnce(signal, runSoon).catch((error: unknown) => logDropped(log, error, "feed.check_failed")),
      isReading: () => state === "reading",
      again: (path) =>
        known.get(path) === undefined || !watched.has(path) ? undefined : () => known.forget(path),
      status() {
        // A command that runs beside the server reads what the server has saved.
        const rows = isStarted ? known.list() : files.list(feed.name);
        return feedStatus(feed, { state, missing, skipped, files: rows, now: clock.now() });
      },
      check: () => checkFeed(feed, files.list(feed.name), clock.now()),
    }),
    onStart() {
      known.load();
      isStarted = true;
    },
    onStop: () => hints?.stop(),
  });
}

/** Updates what is known of the files of a feed. Returns the paths of those that are present. */
function watchAll(
  watched: Map<string, Watched>,
  files: readonly (FileState & { path: string })[],
  nowMs: number,
): ReadonlySet<string> {
  const present = new Set(files.map(({ path }) => path));
  for (const path of watched.keys()) if (!present.has(path)) watched.delete(path);
  for (const file of files) watched.set(file.path, watch(watched.get(file.path), file, nowMs));
  return present;
}

function checkTime(clock: Clock): CheckTime {
  return { now: clock.now(), nowMs: clock.monotonicMs() };
}

interface ToRead {
  path: string;
  file: FileState;
  decision: ReadDecision;
}

/** Reads a file as decided. Returns whether it has to be checked again soon. */
async function readDecided(
  options: Pick<FeedWatcherDependencies, "clock" | "feed" | "log" | "read"> & {
    known: KnownFiles;
    signal: AbortSignal;
  },
  { path, file, decision }: ToRead,
): Promise<boolean> {
  const { clock, feed, known, log, read, signal } = options;
  const before = known.get(path);
  const isAppended =
    decision.do === "compare" &&
    before !== undefined &&
    (await readFingerprint(feed.path, path, before.position)) === before.fingerprint;
  if (decision.do === "compare" && !isAppended && !decision.restart) return true;
  const resumes = decision.do === "compare" ? isAppended : decision.from === "position";
  const resumed = resumes ? before : undefined;
  try {
    const { toEnd } = decision;
    const startedMs = clock.monotonicMs();
    const open = () => openFeedFile(feed.path, path);
    const after = await read({ feed, path, open, file, before: resumed, toEnd, signal, onSave: known.set });
    if (after === undefined) return true;
    logReading(log, after, { before: resumed, durationMs: Math.round(clock.monotonicMs() - startedMs) });
    return after.completedAt === null && after.error === null;
  } catch (error) {
    // A transaction that failed has rolled back what it saved.
    known.load();
    throw error;
  }
}

type KnownFiles = ReturnType<typeof createKnownFiles>;

/** Keeps the saved rows of a feed's files in memory. */
function createKnownFiles(feed: string, files: FeedFileStore) {
  const rows = new Map<string, FeedFile>();
  function forget(path: string): void {
    files.delete(feed, path);
    rows.delete(path);
  }
  return {
    get: (path: string) => rows.get(path),
    list: () => [...rows.values()],
    set: (row: FeedFile) => void rows.set(row.path, row),
    forget,
    load() {
      rows.clear();
      for (const row of files.list(feed)) rows.set(row.path, row);
    },
    forgetRemoved(present: ReadonlySet<string>, now: Instant) {
      for (const { path, completedAt } of rows.values())
        if (!present.has(path) && completedAt !== null && now - completedAt >= removedKeptMs) forget(path);
    },
  };
}

/** Logs the entries of a folder that are not read, once. */
function logSkipped(log: Log, { name }: Feed, before: SkippedFiles, now: SkippedFiles): void {
  if (JSON.stringify(now) !== JSON.stringify(before))
    log.event("feed.files_skipped", { feed: name, count: now.total, files: now.first });
}

const nothingRead = { lines: 0, invalid: 0, matched: 0, created: 0 };

function logReading(
  log: Log,
  after: FeedFile,
  { before, durationMs }: { before: FeedFile | undefined; durationMs: number },
): void {
  const { feed, path, error, lines, position } = after;
  if (error !== null) log.event("feed.file_incomplete", { feed, path, lines, reason: error });
  else if (position !== before?.position)
    log.event("feed.file_read", {
      origin: "feed",
      feed,
      path,
      ...growthOf(after, before ?? nothingRead, "lines", "invalid", "matched", "created"),
      durationMs,
    });
}
