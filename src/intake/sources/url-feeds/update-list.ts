import { rename, rm } from "node:fs/promises";
import type { Database } from "../../../platform/database/database.ts";
import { bytesText } from "../../../platform/lib/durations.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import { randomNumber } from "../../../platform/lib/ids.ts";
import type { Limiter } from "../../../platform/lib/limiter.ts";
import type { Needs } from "../../../platform/lib/needs.ts";
import {
  download,
  type DownloadRequest,
  type DownloadResult,
} from "../../../platform/network/http/download.ts";
import type { HttpClient } from "../../../platform/network/http/http-client.ts";
import type { FeedFileStore } from "../feeds/feed-file-store.ts";
import { locationOf } from "../feeds/feed-url.ts";
import type { FeedFile } from "../feeds/tables.ts";
import type { VersionChange } from "../name-file-versions/compare-versions.ts";
import { inspectVersion } from "../name-file-versions/inspect-version.ts";
import { hashKeyBytes } from "../name-file-versions/name-hash.ts";
import { afterFailure, afterSuccess, beforeRequest, isWholeDue } from "./download-state.ts";
import type { DownloadStore, FeedFilesFolder } from "./download-store.ts";
import type { FeedDownload } from "./tables.ts";
import { partLabel, type UrlFeedConfig } from "./url-feed-config.ts";

/** Dependencies of every list that is fetched. */
export interface UpdateDependencies extends Needs<"clock" | "fillRandom" | "log" | "yielder"> {
  database: Pick<Database, "write">;
  store: DownloadStore;
  files: FeedFileStore;
  folder: FeedFilesFolder;
  client: HttpClient;
  /** Bound the number of downloads, and of lists that are read, over all feeds. */
  limits: { downloads: Limiter; readings: Limiter };
  userAgent: string;
}

/** One list to fetch. */
export interface ListRequest {
  row: FeedDownload;
  /** With the secrets of the query. */
  url: string;
  headers: Readonly<Record<string, string>>;
}

/**
 * Fetches a list unless it is the version in effect. A new version takes effect only once it is complete, is a list of
 * names, and is on the disk; otherwise the version before stays. Returns the new row, which is saved, and the status of
 * a response that was an error.
 *
 * Ending the process at any point leaves the version before in effect: files that no row names are deleted at the next
 * start.
 */
export async function updateList(
  dependencies: UpdateDependencies,
  feed: UrlFeedConfig,
  { row, url, headers }: ListRequest,
  signal: AbortSignal,
): Promise<{ row: FeedDownload; status: number | null }> {
  const { client, clock, database, folder, limits, store, userAgent } = dependencies;
  const paths = folder.paths(feed.name, row.part);
  const current = await beginRequest(dependencies, row, locationOf(url));
  const request: DownloadRequest = {
    url,
    headers,
    userAgent,
    known: { etag: current.etag, lastModified: current.lastModified },
    path: paths.download,
    checksFirst: feed.type === "czds",
    ...limitOf(feed, folder.roomBytes()),
    allowHttp: feed.allowPrivateNetworks,
    signal,
  };
  try {
    const result = await limits.downloads(() => download({ client, clock }, request));
    if (result.kind === "failed")
      return { row: await recordFailure(dependencies, feed, current, result), status: result.status };
    if (result.kind === "unchanged")
      return { row: await recordUnchanged(dependencies, feed, current), status: null };
    const content = { row: current, result, signal };
    return { row: await limits.readings(() => takeContent(dependencies, feed, content)), status: null };
  } catch (error) {
    if (signal.aborted) {
      // Stopping says nothing about the source.
      await database.write(() => store.save(current), { patient: true });
      throw error;
    }
    const failure = { problem: `The list cannot be stored: ${messageOf(error)}.`, retryAfterMs: null };
    return { row: await recordFailure(dependencies, feed, current, failure), status: null };
  } finally {
    await rm(paths.download, { force: true });
  }
}

/** Returns the maximum size of a list, and what to do about a larger one. */
function limitOf(
  { bytesMax }: Pick<UrlFeedConfig, "bytesMax">,
  roomBytes: number,
): Pick<DownloadRequest, "bytesMax" | "tooLarge"> {
  if (roomBytes >= bytesMax)
    return {
      bytesMax,
      tooLarge: `The list is larger than max_size (${bytesText(bytesMax)}): raise max_size to read it.`,
    };
  return {
    bytesMax: roomBytes,
    tooLarge: "The disk has no room for the list: free some space, or move the database to another disk.",
  };
}

/** Stores that a request begins. Returns the row without that. */
async function beginRequest(
  { clock, database, files, fillRandom, store }: UpdateDependencies,
  row: FeedDownload,
  location: string,
): Promise<FeedDownload> {
  // Validators of another address say nothing about this one.
  const moved = { ...row, location, etag: null, lastModified: null, sha256: null };
  const current = row.location === location ? row : moved;
  const occasion = { now: clock.now(), random: randomNumber(fillRandom) };
  await database.write(
    () => {
      store.save({ ...current, ...beforeRequest(row, occasion) });
      const file = partLabel(row) === partLabel(current) ? undefined : files.get(row.feed, partLabel(row));
      if (file === undefined) return;
      files.delete(row.feed, file.path);
      files.save({ ...file, path: partLabel(current) });
    },
    { patient: true },
  );
  return current;
}

type Content = Extract<DownloadResult, { kind: "content" }>;

async function takeContent(
  dependencies: UpdateDependencies,
  feed: UrlFeedConfig,
  { row, result, signal }: { row: FeedDownload; result: Content; signal: AbortSignal },
): Promise<FeedDownload> {
  const { fillRandom, folder, yielder } = dependencies;
  const { sha256, bytes, validators } = result;
  const identity = { ...validators, sha256, bytes };
  if (row.version > 0 && sha256 === row.sha256) return recordUnchanged(dependencies, feed, row, identity);
  const paths = folder.paths(feed.name, row.part);
  const version = row.version + 1;
  const next = paths.of(version);
  const inspected = await inspectVersion({
    label: partLabel(row),
    path: paths.download,
    format: feed.type === "czds" ? "zone" : feed.format,
    column: feed.column,
    textBytesMax: feed.bytesMax,
    beforePath: row.version === 0 ? null : paths.of(row.version).hashes,
    namesBefore: row.names,
    shrunkTimes: row.shrunkTimes,
    hashesPath: next.hashes,
    addedPath: next.added,
    temporaryPath: paths.temporary,
    newKey: () => {
      const key = new Uint8Array(hashKeyBytes);
      fillRandom(key);
      return key;
    },
    yielder: yielder(),
    signal,
  });
  if ("problem" in inspected) {
    const shrunkTimes = inspected.isShrunk ? row.shrunkTimes + 1 : 0;
    const failure = { problem: `The list ${inspected.problem}.`, retryAfterMs: null };
    return recordFailure(dependencies, feed, { ...row, shrunkTimes }, failure);
  }
  const { change } = inspected;
  if (row.version > 0 && change.isAddedKept && change.added === 0 && change.removed === 0) {
    await Promise.all([rm(next.hashes, { force: true }), rm(next.added, { force: true })]);
    return recordUnchanged(dependencies, feed, row, identity);
  }
  await rename(paths.download, next.list);
  return recordVersion(dependencies, feed, { ...row, ...identity, version }, change);
}

async function recordVersion(
  { database, store, files, clock, log, fillRandom }: UpdateDependencies,
  feed: UrlFeedConfig,
  row: FeedDownload,
  { names, added, removed, isAddedKept }: VersionChange,
): Promise<FeedDownload> {
  const now = clock.now();
  const isWhole = isWholeDue(row, { isAddedKept }, now);
  const next: FeedDownload = {
    ...row,
    ...afterSuccess(feed.schedule, { now, random: randomNumber(fillRandom) }),
    names,
    isAddedOnly: !isWhole,
    wholeAt: isWhole ? now : row.wholeAt,
    fetchedAt: now,
    gapMs: row.fetchedAt === null ? null : now - row.fetchedAt,
  };
  await database.write(
    () => {
      store.save(next);
      // Progress in the list of an earlier address.
      if (next.part === "") for (const { path } of files.list(feed.name)) files.delete(feed.name, path);
      files.save(unreadFile(next));
    },
    { patient: true },
  );
  log.event("feed.fetched", {
    origin: "feed",
    feed: feed.name,
    part: row.part,
    bytes: row.bytes,
    names,
    added,
    removed,
  });
  return next;
}

/** Returns the progress in a version of which nothing was read. */
export function unreadFile(row: FeedDownload): FeedFile {
  return {
    feed: row.feed,
    path: partLabel(row),
    bytes: row.bytes,
    modifiedAt: row.fetchedAt ?? row.attemptedAt ?? 0,
    position: 0,
    lines: 0,
    fingerprint: null,
    invalid: 0,
    matched: 0,
    created: 0,
    startedAt: row.fetchedAt ?? row.attemptedAt ?? 0,
    completedAt: null,
    error: null,
  };
}

async function recordUnchanged(
  { database, store, clock, fillRandom }: UpdateDependencies,
  feed: UrlFeedConfig,
  row: FeedDownload,
  identity: Partial<FeedDownload> = {},
): Promise<FeedDownload> {
  const success = afterSuccess(feed.schedule, { now: clock.now(), random: randomNumber(fillRandom) });
  const next = { ...row, ...identity, ...success };
  await database.write(() => store.save(next), { patient: true });
  return next;
}

/** Stores and logs why a list was not fetched. */
export async function recordFailure(
  { database, store, clock, log, fillRandom }: UpdateDependencies,
  feed: Pick<UrlFeedConfig, "name">,
  row: FeedDownload,
  failure: { problem: string; retryAfterMs: number | null },
): Promise<FeedDownload> {
  const next = {
    ...row,
    ...afterFailure(row, failure, { now: clock.now(), random: randomNumber(fillRandom) }),
  };
  await database.write(() => store.save(next), { patient: true });
  log.event("feed.not_fetched", {
    feed: feed.name,
    part: row.part,
    failures: next.failures,
    reason: failure.problem,
  });
  return next;
}
