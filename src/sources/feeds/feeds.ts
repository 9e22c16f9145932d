import type { Database } from "../../database/database.ts";
import type { Clock, Timer } from "../../lib/clock.ts";
import { badRequest, notFound } from "../../lib/errors.ts";
import { createLimiter, type Limiter } from "../../lib/limiter.ts";
import { logDropped, type Log } from "../../lib/log.ts";
import { every, type Schedule } from "../../lib/schedule.ts";
import type { Candidates } from "../candidates.ts";
import { decide, settledMs, watch, type Decision, type FileLook, type Watched } from "./read-decision.ts";
import { createFeedFiles, type FeedFiles } from "./feed-file-store.ts";
import { fingerprintOf, listFiles, watchForHints } from "./feed-folder.ts";
import { overdueOf, type Overdue } from "./overdue.ts";
import { createFeedReader, type Feed, type ReadFeedFile } from "./feed-reader.ts";
import type { FeedFile } from "./tables.ts";

const lookPattern = "*/5 * * * * *";
/** A hint may be the first of many: what follows at once is taken in the same look. */
const hintMs = 500;
/** Reading is work for the one thread; two at a time, so that a long list does not hold up a short one. */
const readingsMax = 2;
/** So long it is remembered that a file was read, after it has gone: it may only have been away. */
const rememberedMs = 30 * 86_400_000;

export interface FeedStatus {
  name: string;
  path: string;
  /** `waiting`: not looked at yet. `missing`: there is nothing to read at `path`. */
  state: "waiting" | "watching" | "reading" | "missing";
  /** Why it is missing, or the fault of a file. */
  problem: string | null;
  /** Nothing new came for much longer than usual; null: no reason to think so. */
  overdue: Overdue | null;
  files: FeedFile[];
}

/** The declared feeds: files and watched folders of names. */
export interface Feeds {
  start(): void;
  /** Stops at the next pause; the places that were reached are recorded. */
  stop(): Promise<void>;
  status(): FeedStatus[];
  /**
   * Reads a file from its start once more, such as after more domains are protected; no threat is made twice.
   * @throws PublicError `not_found`; `bad_request` while the feed is being read.
   */
  readAgain(feed: string, path: string): void;
}

export function createFeeds({
  feeds,
  database,
  candidates,
  clock,
  log,
}: {
  feeds: readonly Feed[];
  database: Database;
  candidates: Candidates;
  clock: Clock;
  log: Log;
}): Feeds {
  const files = createFeedFiles(database);
  const read = createFeedReader({ candidates, clock, files });
  const limit = createLimiter(readingsMax);
  const watchers = feeds.map((feed) => createWatcher({ feed, files, read, limit, clock, log }));
  return {
    start() {
      for (const watcher of watchers) watcher.start();
    },
    stop: async () => void (await Promise.all(watchers.map((watcher) => watcher.stop()))),
    status: () => watchers.map((watcher) => watcher.status()),
    readAgain(name, path) {
      const index = feeds.findIndex((feed) => feed.name === name);
      if (watchers[index]?.readAgain(path) === true) return;
      throw notFound("there is no such file in a feed any more");
    },
  };
}

/** Looks after one feed. */
function createWatcher({
  feed,
  files,
  read,
  limit,
  clock,
  log,
}: {
  feed: Feed;
  files: FeedFiles;
  read: ReadFeedFile;
  limit: Limiter;
  clock: Clock;
  log: Log;
}) {
  const known = new Map<string, FeedFile>();
  const watched = new Map<string, Watched>();
  const stopping = new AbortController();
  const { signal } = stopping;
  let state: FeedStatus["state"] = "waiting";
  let missing: string | null = null;
  let schedule: Schedule | undefined;
  let hints: { stop(): void } | undefined;
  let soon: Timer | undefined;
  let looking: Promise<void> | undefined;

  /** One look at a time: who asks during one gets that one. */
  function look(): Promise<void> {
    looking ??= lookOnce()
      .catch((error: unknown) => logDropped(log, error, "a look at a feed failed; the next one tries again"))
      .finally(() => void (looking = undefined));
    return looking;
  }

  function lookSoon(delayMs: number): void {
    if (signal.aborted || soon !== undefined) return;
    soon = clock.after(delayMs, () => {
      soon = undefined;
      // A hint during a long reading is looked into after it.
      if (looking === undefined) void look();
      else void looking.finally(() => lookSoon(hintMs));
    });
  }

  async function lookOnce(): Promise<void> {
    const listing = await listFiles(feed.path);
    if (signal.aborted) return;
    if ("missing" in listing) return miss(listing.missing);
    if (state === "missing") log.info({ feed: feed.name, path: feed.path }, "the feed is there again");
    if (state !== "reading") state = "watching";
    missing = null;
    hints ??= watchForHints(feed.path, () => lookSoon(hintMs));
    const now = clock.now();
    const present = new Set(listing.files.map(({ path }) => path));
    for (const path of watched.keys()) if (!present.has(path)) watched.delete(path);
    for (const file of listing.files) watched.set(file.path, watch(watched.get(file.path), file, now));
    for (const row of known.values()) if (!present.has(row.path)) forgetOld(row);
    let waiting = false;
    for (const { path, ...file } of listing.files) {
      if (signal.aborted) return;
      const decision = decide(known.get(path), watched.get(path)!, clock.now());
      if (decision.do === "wait") waiting = true;
      else if (decision.do !== "nothing")
        waiting = (await limit(() => take(path, file, decision))) || waiting;
    }
    if (waiting) lookSoon(settledMs);
  }

  function miss(why: string): void {
    if (state !== "missing") log.warn({ feed: feed.name, path: feed.path, why }, "the feed cannot be read");
    state = "missing";
    missing = why;
    hints?.stop();
    hints = undefined;
  }

  function forgetOld(row: FeedFile): void {
    if (row.completedAt === null || clock.now() - row.completedAt < rememberedMs) return;
    files.forget(feed.name, row.path);
    known.delete(row.path);
  }

  /** Answers whether the file has to be looked at again soon. */
  async function take(path: string, file: FileLook, decision: Exclude<Decision, { do: "wait" | "nothing" }>) {
    if (signal.aborted) return false;
    const before = known.get(path);
    let fromPosition = decision.do === "read" && decision.from === "position";
    if (decision.do === "compare" && before !== undefined) {
      fromPosition = fingerprintOf(path, before.position) === before.fingerprint;
      if (!fromPosition && !decision.anew) return true;
    }
    state = "reading";
    const { toEnd } = decision;
    try {
      const after = await read({
        feed,
        path,
        look: file,
        before: fromPosition ? before : undefined,
        toEnd,
        signal,
        onKept: (row) => void known.set(path, row),
      });
      if (after === undefined) return true;
      tell(after, fromPosition ? before : undefined);
      return after.completedAt === null && after.error === null;
    } catch (error) {
      // What was told within a transaction that failed did not happen.
      loadKnown();
      throw error;
    } finally {
      state = "watching";
    }
  }

  function loadKnown(): void {
    known.clear();
    for (const row of files.list(feed.name)) known.set(row.path, row);
  }

  function tell(after: FeedFile, before: FeedFile | undefined): void {
    const { path, error, lines, position } = after;
    if (error !== null)
      log.warn({ feed: feed.name, path, lines, fault: error }, "a file of a feed cannot be read to its end");
    else if (position !== before?.position)
      log.info(
        {
          feed: feed.name,
          path,
          lines: lines - (before?.lines ?? 0),
          invalid: after.invalid - (before?.invalid ?? 0),
          matched: after.matched - (before?.matched ?? 0),
          created: after.created - (before?.created ?? 0),
        },
        "read a file of a feed",
      );
  }

  function readAgain(path: string): boolean {
    if (!known.has(path) || !watched.has(path)) return false;
    if (state === "reading") throw badRequest("the feed is being read; try again when that has ended");
    files.forget(feed.name, path);
    known.delete(path);
    lookSoon(0);
    return true;
  }

  return {
    readAgain,
    start() {
      loadKnown();
      schedule = every({ clock, pattern: lookPattern, run: look });
      void look();
    },
    async stop() {
      stopping.abort();
      schedule?.stop();
      soon?.cancel();
      hints?.stop();
      await looking;
    },
    status(): FeedStatus {
      // A command beside the server looks at what the server has written.
      const rows = schedule === undefined ? files.list(feed.name) : [...known.values()];
      const problem = missing ?? rows.findLast(({ error }) => error !== null)?.error ?? null;
      const overdue = overdueOf(rows, clock.now());
      return { name: feed.name, path: feed.path, state, problem, overdue, files: rows };
    },
  };
}
