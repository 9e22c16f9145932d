import { createReadStream } from "node:fs";
import { copyFile, link, mkdir, open, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { compareIds } from "../backups/repository/repository.ts";
import { syncFolder, writeDurably } from "../backups/stores/folder-store.ts";
import {
  isFileEntry,
  isManifest,
  type BackupManifest,
  type FileEntry,
} from "../backups/repository/format.ts";
import { undefinedIfMissing } from "../../platform/lib/errors.ts";

/**
 * The folder of a standby, next to the place of the database:
 *
 * - `state-<id>/`: a complete copy of the appliance as of the backup with this id: `database`, `archive/`,
 *   `screenshots/`, and `files`, the list of its files. Only complete ones have this name.
 * - `building/`: the next one, which is deleted if the process was killed.
 * - `status.json`: see `status.ts`.
 */
const stateStart = "state-";
const buildingName = "building";
const manifestName = "backup.json";
const listName = "files";
const folderMode = 0o700;
const fileMode = 0o600;
/** Times of files are stored as fractions of seconds. */
const timeErrorMsMax = 1;
/** Folders inside a state. */
const parts = ["archive", "screenshots"];

/** A complete state. */
export interface StandbyState {
  folder: string;
  /** Repository with the backup. */
  repository: string;
  manifest: BackupManifest;
}

/** Returns the folder of the standby whose database is to be at this path. */
export function standbyFolder(databasePath: string): string {
  return join(dirname(databasePath), "standby");
}

/** Returns the newest complete state, or undefined if there is none. */
export async function newestState(standby: string): Promise<StandbyState | undefined> {
  for (const name of (await stateNames(standby)).reverse()) {
    const folder = join(standby, name);
    const state = await readState(folder);
    if (state !== undefined) return { folder, ...state };
  }
  return undefined;
}

async function readState(folder: string): Promise<Omit<StandbyState, "folder"> | undefined> {
  try {
    const value = JSON.parse(
      await readFile(join(folder, manifestName), "utf8"),
    ) as Partial<StandbyState> | null;
    const { repository, manifest } = value ?? {};
    return typeof repository === "string" && isManifest(manifest) ? { repository, manifest } : undefined;
  } catch {
    return undefined;
  }
}

async function stateNames(standby: string): Promise<string[]> {
  const names = (await readdir(standby).catch(undefinedIfMissing)) ?? [];
  const ids = names
    .filter((name) => name.startsWith(stateStart))
    .map((name) => name.slice(stateStart.length));
  return ids.sort(compareIds).map((id) => `${stateStart}${id}`);
}

/** A state that is being built. */
export interface BuildingState {
  readonly folder: string;
  /** Records that the state has this file. Call it in the order of the paths. */
  list(entry: FileEntry): Promise<void>;
  /** Adds a file, which `write` creates at the path that it receives. */
  add(entry: FileEntry, write: (path: string) => Promise<void>): Promise<void>;
  /** Adds a file that is the same in an earlier state. Returns false if that one has been changed or deleted since. */
  reuse(entry: FileEntry, earlier: StandbyState): Promise<boolean>;
  /** Makes it the newest state, durably, and deletes the others. */
  complete(state: Omit<StandbyState, "folder">): Promise<StandbyState>;
  /** Ends without a state. What was built is deleted when the next one begins. */
  close(): Promise<void>;
}

/** Starts a state from nothing. Deletes what was left of another one. */
export async function buildState(standby: string): Promise<BuildingState> {
  const folder = join(standby, buildingName);
  await rm(folder, { recursive: true, force: true });
  for (const path of [folder, ...parts.map((part) => join(folder, part))])
    await mkdir(path, { recursive: true, mode: folderMode });
  const list = await open(join(folder, listName), "wx", fileMode);
  const pathOf = (entry: FileEntry) => join(folder, entry.path);
  return {
    folder,
    list: (entry) => list.appendFile(`${JSON.stringify(entry)}\n`),
    async add(entry, write) {
      const path = pathOf(entry);
      await write(path);
      // The first backup after a promotion recognizes unchanged files by their time.
      if (entry.modifiedAt > 0) await utimes(path, entry.modifiedAt / 1_000, entry.modifiedAt / 1_000);
    },
    async reuse(entry, earlier) {
      const source = join(earlier.folder, entry.path);
      const found = await stat(source).catch(undefinedIfMissing);
      if (found?.size !== entry.bytes || Math.abs(found.mtimeMs - entry.modifiedAt) > timeErrorMsMax)
        return false;
      // Some file systems have no hard links.
      await link(source, pathOf(entry)).catch(() => copyFile(source, pathOf(entry)));
      await utimes(pathOf(entry), entry.modifiedAt / 1_000, entry.modifiedAt / 1_000);
      return true;
    },
    async complete(state) {
      await list.sync();
      await writeDurably(join(folder, manifestName), JSON.stringify(state));
      for (const path of [...parts.map((part) => join(folder, part)), folder]) await syncFolder(path);
      const name = `${stateStart}${state.manifest.id}`;
      const target = join(standby, name);
      // One that is not readable.
      await rm(target, { recursive: true, force: true });
      await rename(folder, target);
      await syncFolder(standby);
      for (const other of await stateNames(standby))
        if (other !== name) await rm(join(standby, other), { recursive: true, force: true });
      return { folder: target, ...state };
    },
    close: () => list.close(),
  };
}

/** Yields the files of a state, sorted by path. */
export async function* filesOf({ folder }: Pick<StandbyState, "folder">): AsyncGenerator<FileEntry> {
  const input = createReadStream(join(folder, listName));
  try {
    for await (const line of createInterface({ input, crlfDelay: Infinity })) {
      const entry: unknown = JSON.parse(line);
      if (isFileEntry(entry)) yield entry;
    }
  } finally {
    input.destroy();
  }
}
