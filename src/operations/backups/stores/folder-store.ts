import { constants } from "node:fs";
import { lstat, mkdir, open, opendir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { messageOf, codeOf, undefinedIfMissing } from "../../../platform/lib/errors.ts";
import { randomHex, type FillRandom } from "../../../platform/lib/ids.ts";
import {
  assertKey,
  isKey,
  objectBytesMax,
  requireObjectSize,
  sha256Name,
  StoreError,
  type BackupStore,
  type StoreErrorCode,
  type StoredObject,
} from "./store.ts";

/** Files that are being written. The name is not a key, so that no list contains them. */
const incomingFolder = ".incoming";
const nameBytes = 12;
/** An incoming file of this age was left by a process that was killed. */
const incomingAgeMsMax = 86_400_000;
const folderMode = 0o700;
const fileMode = 0o600;

const codes: Record<string, StoreErrorCode> = {
  ENOENT: "not_found",
  EACCES: "no_permission",
  EPERM: "no_permission",
  EROFS: "no_permission",
  ENOSPC: "no_space",
  EDQUOT: "no_space",
  ELOOP: "unexpected",
  ENOTDIR: "unexpected",
  EISDIR: "unexpected",
};

/** Says what to do about a failure; others are explained by the message of the system. */
const advice: Partial<Record<StoreErrorCode, string>> = {
  not_found: "the folder does not exist; is its disk mounted?",
  no_permission: "give this user permission to read and write it",
  no_space: "the disk is full; make room, or keep fewer backups",
};

/**
 * Returns a store that keeps each object as a file below a folder, which is created when it is needed. Only the owner
 * can read its files. The folder itself may be a link; links inside are never followed, so that others who can write into
 * the folder cannot make this process read or write elsewhere.
 */
export function createFolderStore({
  folder,
  fillRandom,
}: {
  folder: string;
  fillRandom: FillRandom;
}): BackupStore {
  const root = resolve(folder);
  const attempt = async <Result>(path: string, run: () => Promise<Result>): Promise<Result> => {
    try {
      return await run();
    } catch (error) {
      throw error instanceof StoreError ? error : storeError(path, error);
    }
  };
  let isPrepared = false;
  const prepare = async () => {
    if (isPrepared) return;
    await mkdir(root, { recursive: true, mode: folderMode }).catch((error: unknown) => {
      throw codes[codeOf(error) ?? ""] === "no_permission"
        ? new StoreError(
            "no_permission",
            `backups in ${root}: this user may not create the folder; create it, and let this user own it`,
            error,
          )
        : error;
    });
    await requireFolders(root, incomingFolder, { create: true });
    await removeLeftovers(join(root, incomingFolder));
    isPrepared = true;
  };
  return {
    name: root,
    nameOf: sha256Name,
    async put(key, bytes) {
      assertKey(key);
      requireObjectSize(root, key, bytes.byteLength);
      const target = join(root, key);
      await attempt(target, async () => {
        await prepare();
        await requireFolders(root, dirname(key), { create: true });
        const temporary = join(root, incomingFolder, randomHex(fillRandom, nameBytes));
        try {
          await writeDurably(temporary, bytes);
          await rename(temporary, target);
        } catch (error) {
          await rm(temporary, { force: true });
          throw error;
        }
        await syncFolder(dirname(target));
      });
    },
    async get(key) {
      assertKey(key);
      return attempt(join(root, key), async () => {
        await requireRoot(root);
        if (!(await requireFolders(root, dirname(key), { create: false }))) return undefined;
        return await readBounded(root, key);
      });
    },
    async *list(prefix) {
      // A prefix may end within a name: the folders before it are complete.
      const start = prefix.slice(0, prefix.lastIndexOf("/") + 1);
      if (start !== "") assertKey(start.slice(0, -1));
      await requireRoot(root);
      const exists = await attempt(root, () => requireFolders(root, start, { create: false }));
      if (exists) yield* listFolder(root, start, prefix);
    },
    async delete(key) {
      assertKey(key);
      await attempt(join(root, key), async () => {
        await requireRoot(root);
        if (await requireFolders(root, dirname(key), { create: false }))
          await rm(join(root, key), { force: true });
      });
    },
  };
}

/** Distinguishes a store that does not exist from an empty one. */
async function requireRoot(root: string): Promise<void> {
  await stat(root).catch((error: unknown) => {
    throw storeError(root, error);
  });
}

/**
 * Returns whether the folders of a path below `root` exist, or creates them.
 * @throws StoreError if one of them is a link or a file
 */
async function requireFolders(root: string, path: string, { create }: { create: boolean }): Promise<boolean> {
  let folder = root;
  for (const part of path.split("/").filter((name) => name !== "" && name !== ".")) {
    const parent = folder;
    folder = join(folder, part);
    let entry = await lstat(folder).catch(undefinedIfMissing);
    if (entry === undefined) {
      if (!create) return false;
      await mkdir(folder, { mode: folderMode }).catch(ignoreExisting);
      await syncFolder(parent);
      entry = await lstat(folder);
    }
    if (!entry.isDirectory())
      throw new StoreError(
        "unexpected",
        `${folder} is not a folder; remove it, or use another backup folder`,
      );
  }
  return true;
}

async function readBounded(root: string, key: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  // A named pipe would block without O_NONBLOCK.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const path = join(root, key);
  await using file = await open(path, flags).catch(undefinedIfMissing);
  if (file === undefined) return undefined;
  const entry = await file.stat();
  if (!entry.isFile()) throw new StoreError("unexpected", `${path} is not a file; remove it`);
  requireObjectSize(root, key, entry.size);
  const bytes = new Uint8Array(entry.size);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** @param folder key of the folder, with a slash at its end, or "" for the root */
async function* listFolder(root: string, folder: string, prefix: string): AsyncGenerator<StoredObject> {
  let entries;
  try {
    entries = await readdir(join(root, folder), { withFileTypes: true });
  } catch (error) {
    // Deleted since its parent was read.
    if (codeOf(error) === "ENOENT") return;
    throw storeError(join(root, folder), error);
  }
  // With a slash at the end of folders, the order of the names is the order of the keys.
  const keys = entries
    .filter((entry) => entry.isDirectory() || entry.isFile())
    .map((entry) => `${folder}${entry.name}${entry.isDirectory() ? "/" : ""}`)
    .filter((key) => isKey(key.replace(/\/$/, "")) && (key.startsWith(prefix) || prefix.startsWith(key)))
    .sort();
  for (const key of keys) {
    if (key.endsWith("/")) {
      yield* listFolder(root, key, prefix);
      continue;
    }
    if (!key.startsWith(prefix)) continue;
    const path = join(root, key);
    const entry = await lstat(path)
      .catch(undefinedIfMissing)
      .catch((error: unknown) => {
        throw storeError(path, error);
      });
    if (entry?.isFile() && entry.size <= objectBytesMax) yield { key, bytes: entry.size };
  }
}

/** Creates a file that only its owner can read. It is on the disk, but its name may not be. */
export async function writeDurably(path: string, bytes: Uint8Array | string): Promise<void> {
  await using file = await open(path, "wx", fileMode);
  await file.writeFile(bytes);
  await file.sync();
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await folder.sync();
  } catch (error) {
    // Some network file systems cannot sync a folder.
    if (codeOf(error) !== "EINVAL") throw error;
  } finally {
    await folder.close();
  }
}

/** Deletes the files that killed processes left. Their age is measured by the clock of the file system. */
async function removeLeftovers(folder: string): Promise<void> {
  const names: string[] = [];
  for await (const { name } of await opendir(folder)) names.push(name);
  if (names.length === 0) return;
  const reference = join(folder, "now");
  await writeDurably(reference, new Uint8Array()).catch(ignoreExisting);
  const now = (await lstat(reference).catch(undefinedIfMissing))?.mtimeMs ?? 0;
  await rm(reference, { force: true });
  for (const name of names) {
    const entry = await lstat(join(folder, name)).catch(undefinedIfMissing);
    if (entry !== undefined && now - entry.mtimeMs > incomingAgeMsMax)
      await rm(join(folder, name), { force: true });
  }
}

function ignoreExisting(error: unknown): void {
  if (codeOf(error) !== "EEXIST") throw error;
}

function storeError(path: string, error: unknown): StoreError {
  const code = codes[codeOf(error) ?? ""] ?? "unreachable";
  return new StoreError(code, `backups in ${path}: ${advice[code] ?? messageOf(error)}`, error);
}
