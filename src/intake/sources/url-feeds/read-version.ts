import { open, rm } from "node:fs/promises";
import type { EntrySelection } from "../name-file-formats/name-chunk.ts";
import { NameListError, openProblem } from "../name-file-bytes/errors.ts";
import type { ReadFeedFile } from "../feeds/feed-reader.ts";
import { readHashSet } from "../name-file-versions/compare-versions.ts";
import { createNameHash, hashOfEntry } from "../name-file-versions/name-hash.ts";
import type { FeedDownload } from "./tables.ts";
import { unreadFile, type UpdateDependencies } from "./update-list.ts";
import { partLabel, type UrlFeedConfig } from "./url-feed-config.ts";

/**
 * Reads the version in effect from where reading stopped, unless it was read to its end. A version that cannot be read is
 * forgotten, so that it is fetched again and scored as a whole.
 */
export async function readVersion(
  { database, files, folder, store }: Pick<UpdateDependencies, "database" | "files" | "folder" | "store">,
  read: ReadFeedFile,
  feed: UrlFeedConfig,
  row: FeedDownload,
  signal: AbortSignal,
): Promise<FeedDownload> {
  const path = partLabel(row);
  const before = files.get(feed.name, path) ?? unreadFile(row);
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
  const next = { ...row, etag: null, lastModified: null, sha256: null };
  await database.write(() => store.save(next), { patient: true });
  return next;
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
