import { readFileList } from "../backups/repository/file-list.ts";
import type { BackupManifest, FileEntry } from "../backups/repository/format.ts";
import type { Repository } from "../backups/repository/repository.ts";
import { checkDatabase, DamagedDatabaseError } from "../backups/restoring/open-database.ts";
import { writeFileOf } from "../backups/restoring/write-file.ts";
import { StoreError, type BackupStore } from "../backups/stores/store.ts";
import { diskRoomFor } from "../../platform/lib/disk.ts";
import { bytesText } from "../../platform/lib/durations.ts";
import { buildState, filesOf, type BuildingState, type StandbyState } from "./standby-folder.ts";
import { codeOf } from "../../platform/lib/errors.ts";

/** Files that are fetched at the same time: most are screenshots of one chunk. */
const filesAtOnce = 8;

/** A backup that was fetched. */
export interface FetchedState {
  state: StandbyState;
  /** Size of the objects that were read from the store, as stored. */
  fetchedBytes: number;
}

interface FetchOptions {
  standby: string;
  repository: Repository;
  manifest: BackupManifest;
  /** Undefined: everything is fetched. */
  earlier: StandbyState | undefined;
  signal: AbortSignal;
}

/**
 * Builds the state of a backup from the newest state and what has changed since, and opens its database to check it.
 * Fetches everything if the files of the newest state turn out to be damaged or missing. It stays as it is until the
 * new one is complete.
 * @throws StoreError, or an error of the system
 */
export async function fetchState(options: FetchOptions): Promise<FetchedState> {
  try {
    return await buildFrom(options);
  } catch (error) {
    const isLocal = error instanceof DamagedDatabaseError || codeOf(error) === "ENOENT";
    if (options.earlier === undefined || !isLocal) throw error;
    return buildFrom({ ...options, earlier: undefined });
  }
}

async function buildFrom({
  standby,
  repository,
  manifest,
  earlier,
  signal,
}: FetchOptions): Promise<FetchedState> {
  const { store, fetchedBytes } = counting(repository.store);
  const building = await buildState(standby);
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);

  async function addFile({ entry, before }: JoinedFile): Promise<void> {
    // The database is checked by opening it, which needs a file of its own.
    const isDatabase = entry.path === "database";
    if (before !== undefined && earlier !== undefined && !isDatabase && isSame(entry, before)) {
      if (await building.reuse(entry, earlier)) return;
    }
    requireRoom(building.folder, entry);
    const isKnown = before !== undefined && earlier !== undefined && isDatabase;
    const known = isKnown ? { entry: before, path: `${earlier.folder}/${before.path}` } : undefined;
    await building.add(entry, (target) =>
      writeFileOf({ store, entry, target, earlier: known, signal: stop }),
    );
  }

  try {
    const files = joined(readFileList(store, manifest), earlier, building);
    const work = async () => {
      for await (const file of files) {
        if (stop.aborted) return;
        await addFile(file);
      }
    };
    let failure: { error: unknown } | undefined;
    const workers = Array.from({ length: filesAtOnce }, () =>
      work().catch((error: unknown) => {
        // The first one is the reason of the others.
        failure ??= { error };
        failed.abort();
      }),
    );
    // All end before the folder is closed.
    await Promise.all(workers);
    signal.throwIfAborted();
    if (failure !== undefined) throw failure.error;
    checkDatabase(`${building.folder}/database`, manifest, store.name);
    const state = await building.complete({ repository: repository.id, manifest });
    return { state, fetchedBytes: fetchedBytes() };
  } finally {
    await building.close();
  }
}

/** A file of the backup, and the same one in the earlier state. */
interface JoinedFile {
  entry: FileEntry;
  before: FileEntry | undefined;
}

function isSame(a: FileEntry, b: FileEntry): boolean {
  return (
    a.bytes === b.bytes &&
    a.modifiedAt === b.modifiedAt &&
    a.chunks.length === b.chunks.length &&
    a.chunks.every((name, index) => name === b.chunks[index])
  );
}

/** Yields the files of a backup, each with the same file of the earlier state. Both lists are sorted by path. */
async function* joined(
  entries: AsyncIterable<FileEntry>,
  earlier: StandbyState | undefined,
  building: BuildingState,
): AsyncGenerator<JoinedFile> {
  const others = earlier === undefined ? undefined : filesOf(earlier);
  try {
    let other = await others?.next();
    for await (const entry of entries) {
      while (other?.done === false && other.value.path < entry.path) other = await others?.next();
      const isKnown = other?.done === false && other.value.path === entry.path;
      await building.list(entry);
      yield { entry, before: isKnown ? (other!.value as FileEntry) : undefined };
    }
  } finally {
    await others?.return(undefined);
  }
}

function requireRoom(folder: string, entry: FileEntry): void {
  const { freeBytes } = diskRoomFor(`${folder}/x`);
  if (freeBytes > entry.bytes) return;
  throw new StoreError(
    "no_space",
    `${folder}: ${bytesText(freeBytes)} are free, and the ${entry.path} of the backup needs ${bytesText(entry.bytes)}; make room`,
  );
}

/** Returns a store that counts what is read. */
function counting(store: BackupStore): { store: BackupStore; fetchedBytes: () => number } {
  let bytes = 0;
  return {
    fetchedBytes: () => bytes,
    store: {
      ...store,
      async get(key) {
        const found = await store.get(key);
        bytes += found?.byteLength ?? 0;
        return found;
      },
    },
  };
}
