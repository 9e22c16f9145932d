import type { Settings } from "../../../access/settings/settings.ts";
import type { Database } from "../../../platform/database/database.ts";
import { diskRoomFor } from "../../../platform/lib/disk.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import { createLimiter } from "../../../platform/lib/limiter.ts";
import { createHttpClient, type HttpClient } from "../../../platform/network/http/http-client.ts";
import type { ResolveHost } from "../../../platform/network/resolve.ts";
import type { Turns } from "../../../platform/network/turns.ts";
import type { Candidates } from "../candidates.ts";
import { createFeedFileStore } from "../feeds/feed-file-store.ts";
import { createFeedReader, type InspectFeed } from "../feeds/feed-reader.ts";
import { locationOf } from "../feeds/feed-url.ts";
import type { FeedWatcher } from "../feeds/feed-loop.ts";
import type { SourcePauses } from "../pauses/source-pauses.ts";
import { feedKind } from "../source.ts";
import { createCzds, czdsUrl } from "./czds.ts";
import { createDownloadStore, createFeedFilesFolder } from "./download-store.ts";
import { createListFetcher, createZoneFetcher } from "./fetch-due.ts";
import { createUrlFeed } from "./url-feed.ts";
import type { UpdateDependencies } from "./update-list.ts";
import type { FeedDownload } from "./tables.ts";
import type { UrlFeedConfig } from "./url-feed-config.ts";

/** Maximum number of downloads at a time, over all feeds. */
const downloadsMax = 8;
/** Reading occupies the only thread. */
const readingsMax = 2;

/** Returns a function that creates a feed whose lists are fetched. */
export function createUrlFeeds({
  declared,
  settings,
  pauses,
  turns,
  freeBytes = (path) => diskRoomFor(path).freeBytes,
  ...shared
}: Needs<"clock" | "database" | "fillRandom" | "log" | "yielder"> & {
  /** Returns all that are declared, to delete what others have left. */
  declared: () => readonly UrlFeedConfig[];
  settings: Settings;
  candidates: Candidates;
  inspectFeed: InspectFeed;
  pauses: SourcePauses;
  resolveHost: ResolveHost;
  turns: Turns;
  userAgent: string;
  /** Returns the free space on the disk of a file. */
  freeBytes?: (path: string) => number;
}): (feed: UrlFeedConfig) => FeedWatcher {
  const { clock, database, resolveHost, userAgent } = shared;
  const files = createFeedFileStore(database);
  const store = createDownloadStore(database);
  const folder = createFeedFilesFolder(`${database.path}.feeds`, freeBytes);
  const read = createFeedReader({ ...shared, files });
  const limits = { downloads: createLimiter(downloadsMax), readings: createLimiter(readingsMax) };
  const ofFeeds: Omit<UpdateDependencies, "client"> = { ...shared, files, folder, limits, store };
  const clients = new Map<boolean, HttpClient>();
  const clientFor = (allowPrivateNetworks: boolean): HttpClient => {
    const client =
      clients.get(allowPrivateNetworks) ??
      createHttpClient({ rules: { allowPrivateNetworks }, resolveHost, turns });
    clients.set(allowPrivateNetworks, client);
    return client;
  };

  const prepare = createPreparation({ declared, database, store, folder });
  const fetcherOf = (feed: UrlFeedConfig, client: HttpClient) => {
    const { url, type } = feed;
    if (type === "list" && url !== null)
      return { location: locationOf(url), fetchDue: createListFetcher({ ...feed, url }) };
    const token = `feed_token:${feed.name}` as const;
    const czds = createCzds({
      account: { username: feed.username ?? "", password: feed.password ?? "" },
      baseUrl: url,
      client,
      clock,
      tokenStore: {
        read: () => settings.get(token),
        save: (text) => database.write(() => settings.set(token, text), { patient: true }),
      },
      userAgent,
    });
    const location = url === null ? czdsUrl : locationOf(url);
    return { location, fetchDue: createZoneFetcher(feed, location, czds) };
  };

  return (feed) => {
    const client = clientFor(feed.allowPrivateNetworks);
    const pausing = pauses.of({ kind: feedKind, name: feed.name });
    const dependencies = { ...ofFeeds, client };
    const { isShared } = database;
    const ofFeed = { feed, dependencies, isShared, pausing, prepare, read, resolveHost };
    return createUrlFeed({ ...fetcherOf(feed, client), ...ofFeed });
  };
}

interface PreparationDependencies extends Pick<UpdateDependencies, "store" | "folder"> {
  declared: () => readonly UrlFeedConfig[];
  database: Database;
}

/**
 * Returns a function that, once, creates the folder and deletes what a process that was killed or a feed that was removed
 * has left.
 */
function createPreparation(dependencies: PreparationDependencies): () => Promise<void> {
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
