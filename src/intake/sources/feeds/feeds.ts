import type { Actor } from "../../../access/audit/actor.ts";
import type { Needs } from "../../../access/audit/needs.ts";
import { notFound } from "../../../platform/lib/errors.ts";
import { createLimiter } from "../../../platform/lib/limiter.ts";
import type { Candidates } from "../candidates.ts";
import type { SourcePauses } from "../pauses/source-pauses.ts";
import { createFeedFileStore } from "./feed-file-store.ts";
import { feedKind } from "../source.ts";
import { createFeedReader, type Feed, type InspectFeed } from "./feed-reader.ts";
import type { FeedStatus } from "./feed-status.ts";
import type { FeedSource, FeedWatcher } from "./feed-loop.ts";
import { createFeedWatcher } from "./feed-watcher.ts";

/** Reading occupies the only thread: two files at a time, so that a long list does not delay a short one. */
const readingsMax = 2;

/** The feeds that the configuration declares. */
export interface Feeds {
  readonly sources: readonly FeedSource[];
  status(): FeedStatus[];
  /**
   * Reads a file from its start again, for example after more domains are protected. No threat is created twice.
   * @throws PublicError `not_found`; `bad_request` while the feed is paused or being read.
   */
  readAgain(feed: string, path: string, options: { by: Actor }): void;
  /** Resolves when no check of a feed is in progress. Checks that are due later do not count. */
  idle(): Promise<void>;
}

/** Recognizes a feed that reads a file or a folder. */
export function isFolderFeed<T extends { path: string | null }>(feed: T): feed is T & { path: string } {
  return feed.path !== null;
}

interface FolderFeedsDependencies extends Needs<"clock" | "database" | "log"> {
  candidates: Candidates;
  inspectFeed: InspectFeed;
  pauses: SourcePauses;
}

/** Returns a function that creates a feed that reads a file or a folder. */
export function createFolderFeeds(dependencies: FolderFeedsDependencies): (feed: Feed) => FeedWatcher {
  const { candidates, clock, database, inspectFeed, log, pauses } = dependencies;
  const files = createFeedFileStore(database);
  const read = createFeedReader({ candidates, clock, database, files, inspectFeed });
  const limit = createLimiter(readingsMax);
  return (feed) => {
    const pausing = pauses.of({ kind: feedKind, name: feed.name });
    return createFeedWatcher({ feed, files, read, limit, clock, log, pausing });
  };
}

/** @param watchers returns the present feeds */
export function createFeeds({
  auditLog,
  database,
  watchers,
}: Needs<"auditLog" | "database"> & { watchers: () => readonly FeedWatcher[] }): Feeds {
  return {
    get sources() {
      return watchers();
    },
    status: () => watchers().map((watcher) => watcher.status()),
    readAgain: (name, path, { by }) =>
      database.transaction(() => {
        const watcher = watchers().find((one) => one.name === name);
        if (watcher?.readAgain(path) !== true) throw notFound("There is no file with this path in a feed.");
        auditLog.record(by, "feed.read_again", name, { path });
      }),
    idle: async () => void (await Promise.all(watchers().map((watcher) => watcher.idle()))),
  };
}
