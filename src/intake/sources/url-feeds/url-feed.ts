import { badRequest } from "../../../platform/lib/errors.ts";
import { every, type Schedule } from "../../../platform/lib/schedule.ts";
import { describeSourceError } from "../../../platform/network/failure.ts";
import { allowedAddresses, type ResolveHost } from "../../../platform/network/resolve.ts";
import type { ReadFeedFile } from "../feeds/feed-reader.ts";
import type { FeedStatus } from "../feeds/feed-status.ts";
import type { FeedWatcher } from "../feeds/feed-watcher.ts";
import type { SourcePausing } from "../pauses/source-pauses.ts";
import { feedKind } from "../source.ts";
import type { FetchDue } from "./fetch-due.ts";
import { createRounds } from "./rounds.ts";
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
  const rounds = createRounds({ feed, dependencies, fetchDue, pausing, prepare, read });
  let schedule: Schedule | undefined;

  function status(): FeedStatus {
    const { activity, problem } = rounds.state();
    const known = { rows: store.list(feed.name), files: files.list(feed.name), activity, now: clock.now() };
    const found = urlFeedStatus(feed, location, known);
    const state = pausing.isPaused() ? "paused" : found.state;
    return { ...found, state, problem: problem ?? found.problem };
  }

  return {
    name: feed.name,
    kind: feedKind,
    declaredAs: "[[feeds]]",
    pausing,
    readAgain(path) {
      if (pausing.isPaused()) throw badRequest("The feed is paused. Resume it first.");
      const row = store.list(feed.name).find((one) => partLabel(one) === path);
      if (row === undefined) return false;
      if (rounds.isRunning()) throw badRequest("The feed is being read. Try again when it is done.");
      // A list that could not be fetched is fetched now, whether or not an earlier version is in effect.
      const isFetched = row.version === 0 || row.problem !== null;
      store.save(isFetched ? { ...row, dueAt: null } : { ...row, isAddedOnly: false });
      if (!isFetched) files.save(unreadFile(row));
      rounds.forget();
      clock.after(0, () => void rounds.run());
      return true;
    },
    start() {
      if (!isShared) return log.event("feed.not_fetched", { feed: feed.name, reason: inMemory });
      schedule = every({ clock, pattern: checkPattern, run: rounds.run });
      pausing.onResume(() => void rounds.run());
      void rounds.run();
    },
    async stop() {
      schedule?.stop();
      await rounds.stop();
    },
    status,
    async check() {
      const rows = store.list(feed.name);
      if (rows.length > 0) return checkUrlFeed(status(), rows);
      const { hostname } = new URL(location);
      const rules = { allowPrivateNetworks: feed.allowPrivateNetworks };
      try {
        await allowedAddresses({ hostname, rules, resolveHost });
        return { level: "ok", detail: `${location}: not fetched yet` };
      } catch (error) {
        return { level: "error", detail: `${location}: ${describeSourceError(error)}` };
      }
    },
    idle: rounds.idle,
  };
}
