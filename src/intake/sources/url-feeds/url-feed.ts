import { describeSourceError } from "../../../platform/network/failure.ts";
import { allowedAddresses, type ResolveHost } from "../../../platform/network/resolve.ts";
import type { ReadFeedFile } from "../feeds/feed-reader.ts";
import type { FeedStatus } from "../feeds/feed-status.ts";
import { createFeedLoop, type FeedWatcher } from "../feeds/feed-loop.ts";
import type { SourcePausing } from "../pauses/source-pauses.ts";
import type { SourceCheck } from "../source.ts";
import type { FetchDue } from "./fetch-due.ts";
import { createUrlRounds } from "./rounds.ts";
import { unreadFile, type UpdateDependencies } from "./update-list.ts";
import { partLabel, type UrlFeedConfig } from "./url-feed-config.ts";
import { checkUrlFeed, urlFeedStatus } from "./url-feed-status.ts";

/** When to check whether a request is due. */
const checkPattern = "*/15 * * * * *";
const inMemory = "Lists are fetched only if the database is a file.";

interface UrlFeedDependencies {
  feed: UrlFeedConfig;
  /** Address of the source, without secrets. */
  location: string;
  dependencies: UpdateDependencies;
  /** Whether the database is a file, next to which lists can be stored. */
  isShared: boolean;
  fetchDue: FetchDue;
  pausing: SourcePausing;
  /** Prepares the folder of the lists, once for all feeds. */
  prepare: () => Promise<void>;
  read: ReadFeedFile;
  resolveHost: ResolveHost;
}

/** A declared feed whose lists are fetched by a schedule. */
export function createUrlFeed(given: UrlFeedDependencies): FeedWatcher {
  const { feed, location, dependencies, isShared, fetchDue, pausing, prepare, read, resolveHost } = given;
  const { clock, files, log, store } = dependencies;
  const { forget, isRunning, round, state } = createUrlRounds({
    feed,
    dependencies,
    fetchDue,
    prepare,
    read,
  });

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
      if (!isFetched) files.save(unreadFile(row));
      forget();
    };
  }

  async function check(): Promise<SourceCheck> {
    const rows = store.list(feed.name);
    if (rows.length > 0) return checkUrlFeed(watcher.status(), rows);
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
