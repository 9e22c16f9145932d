import { rename, rm } from "node:fs/promises";
import { bytesText } from "../../../platform/lib/durations.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import { randomNumber } from "../../../platform/lib/ids.ts";
import type { Limiter } from "../../../platform/lib/limiter.ts";
import type { SourceNeeds } from "../needs.ts";
import {
  download,
  type DownloadRequest,
  type DownloadResult,
} from "../../../platform/network/http/download.ts";
import type { FeedFileStore } from "../feeds/feed-file-store.ts";
import { unreadFile } from "../feeds/feed-reader.ts";
import { locationOf } from "../feeds/feed-url.ts";
import type { FeedFile } from "../feeds/tables.ts";
import type { VersionChange } from "../name-file-versions/compare-versions.ts";
import { inspectVersion } from "../name-file-versions/inspect-version.ts";
import { hashKeyBytes } from "../name-file-versions/name-hash.ts";
import {
  afterFailure,
  afterSuccess,
  beforeRequest,
  type FetchFailure,
  isWholeDue,
  partLabel,
  type UrlFeedConfig,
} from "./download-state.ts";
import type { DownloadStore, FeedFilesFolder } from "./download-store.ts";
import type { FeedDownload } from "./tables.ts";

/** Dependencies of every list that is fetched. */
export interface UpdateDependencies extends SourceNeeds<
  "client" | "clock" | "database" | "fillRandom" | "log" | "userAgent" | "yielder"
> {
  store: DownloadStore;
  files: FeedFileStore;
  folder: FeedFilesFolder;
  /** Bound the number of downloads, and of lists that are read, over all feeds. */
  limits: { downloads: Limiter; readings: Limiter };
}

/** One list to fetch. */
export interface ListRequest {
  row: FeedDownload;
  /** With the secrets of the query. */
  url: string;
  headers: Readonly<Record<string, string>>;
}

/** Records what happens to the lists of a feed, each as a row that is saved. */
export type DownloadRecords = ReturnType<typeof createDownloadRecords>;

export function createDownloadRecords(
  { clock, database, files, fillRandom, log, store }: UpdateDependencies,
  feed: Pick<UrlFeedConfig, "name" | "schedule">,
) {
  const occasion = () => ({ now: clock.now(), random: randomNumber(fillRandom) });

  /** @param alongside what else to save in the same transaction */
  async function save(row: FeedDownload, alongside = () => {}): Promise<FeedDownload> {
    const work = () => {
      store.save(row);
      alongside();
    };
    await database.write(work, { patient: true });
    return row;
  }

  return {
    save,
    /** Records that a request begins. Returns the row without that. */
    async begin(row: FeedDownload, location: string): Promise<FeedDownload> {
      // Validators of another address say nothing about this one.
      const moved = { ...row, location, etag: null, lastModified: null, sha256: null };
      const current = row.location === location ? row : moved;
      await save({ ...current, ...beforeRequest(row, occasion()) }, () => {
        const file = partLabel(row) === partLabel(current) ? undefined : files.get(row.feed, partLabel(row));
        if (file === undefined) return;
        files.delete(row.feed, file.path);
        files.save({ ...file, path: partLabel(current) });
      });
      return current;
    },
    /** Records that a list was fetched or found unchanged. */
    succeeded: (row: FeedDownload, alongside?: () => void) =>
      save({ ...row, ...afterSuccess(feed.schedule, occasion()) }, alongside),
    /** Records and logs why a list was not fetched. */
    async failed(row: FeedDownload, failure: FetchFailure): Promise<FeedDownload> {
      const next = await save({ ...row, ...afterFailure(row, failure, occasion()) });
      const { part, failures } = next;
      log.event("feed.not_fetched", { feed: feed.name, part, failures, reason: failure.problem });
      return next;
    },
    /** Records and logs a new version. */
    async replaced(row: FeedDownload, change: VersionChange): Promise<FeedDownload> {
      const { names, added, removed } = change;
      const now = clock.now();
      const isWhole = isWholeDue(row, change, now);
      const next: FeedDownload = {
        ...row,
        ...afterSuccess(feed.schedule, { ...occasion(), now }),
        names,
        isAddedOnly: !isWhole,
        wholeAt: isWhole ? now : row.wholeAt,
        fetchedAt: now,
        gapMs: row.fetchedAt === null ? null : now - row.fetchedAt,
      };
      await save(next, () => {
        // Progress in the list of an earlier address.
        if (next.part === "") for (const { path } of files.list(feed.name)) files.delete(feed.name, path);
        files.save(unreadList(next));
      });
      const { part, bytes } = row;
      log.event("feed.fetched", { origin: "feed", feed: feed.name, part, bytes, names, added, removed });
      return next;
    },
  };
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
  { dependencies, feed, records }: FeedUpdates,
  { row, url, headers }: ListRequest,
  signal: AbortSignal,
): Promise<{ row: FeedDownload; status: number | null }> {
  const { folder, limits, userAgent } = dependencies;
  const path = folder.paths(feed.name, row.part).download;
  const current = await records.begin(row, locationOf(url));
  const request: DownloadRequest = {
    url,
    headers,
    userAgent,
    known: { etag: current.etag, lastModified: current.lastModified },
    path,
    checksFirst: feed.type === "czds",
    ...limitOf(feed, folder.roomBytes()),
    allowHttp: feed.allowPrivateNetworks,
    signal,
  };
  try {
    const result = await limits.downloads(() => download(dependencies, request));
    if (result.kind === "failed")
      return { row: await records.failed(current, result), status: result.status };
    const next =
      result.kind === "unchanged"
        ? await records.succeeded(current)
        : await limits.readings(() =>
            takeContent({ dependencies, feed, records }, { row: current, result, signal }),
          );
    return { row: next, status: null };
  } catch (error) {
    if (signal.aborted) {
      // Stopping says nothing about the source.
      await records.save(current);
      throw error;
    }
    const failure = { problem: `The list cannot be stored: ${messageOf(error)}.`, retryAfterMs: null };
    return { row: await records.failed(current, failure), status: null };
  } finally {
    await rm(path, { force: true });
  }
}

/** The lists of one feed. */
export interface FeedUpdates {
  dependencies: UpdateDependencies;
  feed: UrlFeedConfig;
  records: DownloadRecords;
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

type Content = Extract<DownloadResult, { kind: "content" }>;

async function takeContent(
  { dependencies, feed, records }: FeedUpdates,
  { row, result, signal }: { row: FeedDownload; result: Content; signal: AbortSignal },
): Promise<FeedDownload> {
  const { fillRandom, folder, yielder } = dependencies;
  const { sha256, bytes, validators } = result;
  const received = { ...row, ...validators, sha256, bytes };
  if (row.version > 0 && sha256 === row.sha256) return records.succeeded(received);
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
    newKey() {
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
    return records.failed({ ...row, shrunkTimes }, failure);
  }
  const { change } = inspected;
  if (row.version > 0 && change.isAddedKept && change.added === 0 && change.removed === 0) {
    await Promise.all([rm(next.hashes, { force: true }), rm(next.added, { force: true })]);
    return records.succeeded(received);
  }
  await rename(paths.download, next.list);
  return records.replaced({ ...received, version }, change);
}

/** Returns the progress in a version of which nothing was read. */
export function unreadList(row: FeedDownload): FeedFile {
  const { feed, bytes } = row;
  const at = row.fetchedAt ?? row.attemptedAt ?? 0;
  return unreadFile({ feed, path: partLabel(row), bytes, modifiedAt: at, startedAt: at });
}
