import type { Settings } from "../../../access/settings/settings.ts";
import { diskRoomFor } from "../../../platform/lib/disk.ts";
import { createLimiter } from "../../../platform/lib/limiter.ts";
import { lazy } from "../../../platform/lib/startup.ts";
import { createHttpClient } from "../../../platform/network/http/http-client.ts";
import { createFeedFileStore } from "../feeds/feed-file-store.ts";
import { createFeedReader } from "../feeds/feed-reader.ts";
import { locationOf } from "../feeds/feed-url.ts";
import type { FeedWatcher } from "../feeds/feed-loop.ts";
import type { FeedDependencies } from "../needs.ts";
import { feedKind } from "../source.ts";
import { createCzds, czdsUrl } from "./czds.ts";
import { createDownloadStore, createFeedFilesFolder } from "./download-store.ts";
import { createListFetcher, createZoneFetcher } from "./fetch-due.ts";
import { createUrlFeed } from "./url-feed.ts";
import type { UpdateDependencies } from "./update-list.ts";
import type { FeedDownload } from "./tables.ts";
import type { UrlFeedConfig } from "./download-state.ts";

/** Maximum number of downloads at a time, over all feeds. */
const downloadsMax = 8;
/** Reading occupies the only thread. */
const readingsMax = 2;

/** Returns a function that creates a feed whose lists are fetched. */
export function createUrlFeeds(
  given: FeedDependencies & {
    /** Returns all that are declared, to delete what others have left. */
    declared: () => readonly UrlFeedConfig[];
    settings: Settings;
    /** Returns the free space on the disk of a file. */
    freeBytes?: (path: string) => number;
  },
): (feed: UrlFeedConfig) => FeedWatcher {
  const { declared, settings, pauses, freeBytes = (path) => diskRoomFor(path).freeBytes, ...shared } = given;
  const { database, resolveHost, turns } = shared;
  const files = createFeedFileStore(database);
  const store = createDownloadStore(database);
  const folder = createFeedFilesFolder(`${database.path}.feeds`, freeBytes);
  const read = createFeedReader({ ...shared, files });
  const limits = { downloads: createLimiter(downloadsMax), readings: createLimiter(readingsMax) };
  const clientFor = (allowPrivateNetworks: boolean) => () =>
    createHttpClient({ rules: { allowPrivateNetworks }, resolveHost, turns });
  const clients = { open: lazy(clientFor(true)), guarded: lazy(clientFor(false)) };
  const prepare = createPreparation({ declared, database, store, folder });
  /** Returns how the lists of a feed are fetched, and from where. */
  function fetcherOf(feed: UrlFeedConfig, dependencies: UpdateDependencies) {
    const { name, password, type, url, username } = feed;
    const location = url === null ? czdsUrl : locationOf(url);
    if (type === "list" && url !== null) return { location, fetchDue: createListFetcher({ ...feed, url }) };
    const token = `feed_token:${name}` as const;
    const czds = createCzds({
      ...dependencies,
      account: { username: username ?? "", password: password ?? "" },
      baseUrl: url,
      tokenStore: {
        read: () => settings.get(token),
        save: (text) => database.write(() => settings.set(token, text), { patient: true }),
      },
    });
    return { location, fetchDue: createZoneFetcher(location, czds) };
  }

  return (feed) => {
    const client = feed.allowPrivateNetworks ? clients.open() : clients.guarded();
    const dependencies = { ...shared, client, files, folder, limits, store };
    const pausing = pauses.of({ kind: feedKind, name: feed.name });
    const { isShared } = database;
    const ofFeed = { feed, dependencies, isShared, pausing, prepare, read, resolveHost };
    return createUrlFeed({ ...fetcherOf(feed, dependencies), ...ofFeed });
  };
}

/**
 * Returns a function that, once, creates the folder and deletes what a process that was killed or a feed that was removed
 * has left.
 */
function createPreparation(
  dependencies: Pick<UpdateDependencies, "database" | "folder" | "store"> & {
    declared: () => readonly UrlFeedConfig[];
  },
): () => Promise<void> {
  const { declared, database, store, folder } = dependencies;
  async function prepare(): Promise<void> {
    await folder.create();
    const types = new Map(declared().map(({ name, type }) => [name, type]));
    const rows = store.feeds().flatMap((name) => store.list(name));
    const isKept = (row: FeedDownload) => isPartOf(types.get(row.feed), row);
    const removed = rows.filter((row) => !isKept(row));
    const forget = () => removed.forEach(({ feed, part }) => store.delete(feed, part));
    if (removed.length > 0) await database.write(forget, { patient: true });
    await folder.clean(rows.filter(isKept));
  }
  let prepared: Promise<void> | undefined;
  return () => {
    prepared ??= prepare().catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  };
}

/** Returns whether a feed of this type has such a part. The type of a feed may have changed. */
function isPartOf(type: UrlFeedConfig["type"] | undefined, { part, version }: FeedDownload): boolean {
  if (type === "list") return part === "";
  return type === "czds" && (part !== "" || version === 0);
}
