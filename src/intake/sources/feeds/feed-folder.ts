import { constants, readSync, watch as watchPath, type Stats } from "node:fs";
import { lstat, open, readdir, realpath, stat, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { NameListError, openProblem } from "../name-file-bytes/byte-source.ts";
import { isTemporary, type FileState } from "./read-decision.ts";
import { codeOf } from "../../../platform/lib/errors.ts";

const filesMax = 100_000;
const fingerprintBytes = 1024;
const skippedShownMax = 20;

const leavesFolder = "is a link that leaves the folder";
const brokenLink = "is a broken link";
const notRegular = "is a pipe or device, not a file";

/** Files of a feed, oldest first. */
export type Listing =
  | { files: (FileState & { path: string })[]; skipped: SkippedFiles }
  /** Why there are none. */
  | { missing: string };

/** Entries of a feed's folder that are never read. Subfolders and temporary files do not count. */
export interface SkippedFiles {
  total: number;
  /** The first few. `why` is words that follow the name. */
  first: { name: string; why: string }[];
}

/** Returns the file itself, or the files in the folder, without those in its subfolders. */
export async function listFiles(path: string): Promise<Listing> {
  try {
    const info = await stat(path);
    const skipped: SkippedFiles = { total: 0, first: [] };
    if (info.isFile()) return { files: [{ path, ...stateOf(info) }], skipped };
    if (!info.isDirectory()) return { missing: "it is a pipe or device, not a file or folder" };
    const names = withoutMispIndexes((await readdir(path)).filter((name) => !isTemporary(name)));
    if (names.length > filesMax) return { missing: `it contains more than ${filesMax} files` };
    const folder = await realpath(path);
    const files = [];
    for (const name of names) {
      const file = join(path, name);
      const found = await inspectFile(folder, file);
      if (typeof found === "object") files.push({ path: file, ...stateOf(found) });
      else if (found !== undefined && ++skipped.total <= skippedShownMax)
        skipped.first.push({ name, why: found });
    }
    return {
      files: files.sort((a, b) => a.modifiedAt - b.modifiedAt || (a.path < b.path ? -1 : 1)),
      skipped,
    };
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return { missing: "the path does not exist" };
    if (code === "EACCES") return { missing: "this user may not read it" };
    return { missing: code ?? String(error) };
  }
}

/** Removes the files of a MISP feed that list its events and the hashes of what they contain. */
function withoutMispIndexes(names: string[]): string[] {
  const isFeed = names.includes("manifest.json") && names.some((name) => mispEventFile.test(name));
  return isFeed ? names.filter((name) => name !== "manifest.json" && name !== "hashes.csv") : names;
}
const mispEventFile = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.json$/i;

/** Returns a file's properties, why it is never read, or undefined if it is a folder or was removed. */
async function inspectFile(folder: string, path: string): Promise<Stats | string | undefined> {
  try {
    const info = await lstat(path);
    if (info.isDirectory()) return undefined;
    if (!info.isSymbolicLink()) return info.isFile() ? info : notRegular;
    const target = await targetInFolder(folder, path);
    if (target === undefined) return leavesFolder;
    const found = await lstat(target);
    return found.isFile() ? found : notRegular;
  } catch (error) {
    if (codeOf(error) !== "ENOENT") return openProblem(error);
    // Removed since, or a link to a file that does not exist.
    const isLink = await lstat(path).then(
      (info) => info.isSymbolicLink(),
      () => false,
    );
    return isLink ? brokenLink : undefined;
  }
}

/**
 * Returns the file that a link leads to if it is directly in the folder, where nobody can put a link to another place
 * between its name and the file.
 * @param folder real path of the folder.
 */
async function targetInFolder(folder: string, link: string): Promise<string | undefined> {
  const target = await realpath(link);
  return dirname(target) === folder ? target : undefined;
}

function stateOf({ size, mtimeMs }: Stats): FileState {
  return { bytes: size, modifiedAt: Math.floor(mtimeMs) };
}

/**
 * Opens a file of a feed without following a link out of the feed's folder and without waiting for the writer of a
 * pipe, even if the file was replaced after it was listed: people who may add lists must not choose what is read.
 * @throws NameListError if it cannot be opened or is not a regular file.
 */
export async function openFeedFile(feed: string, path: string): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    // The operator chose the feed's own path, so it may be a link to anywhere.
    const target = path === feed ? path : await fileInFolder(feed, path);
    const noFollow = path === feed ? 0 : constants.O_NOFOLLOW;
    handle = await open(target, constants.O_RDONLY | constants.O_NONBLOCK | noFollow);
  } catch (error) {
    if (error instanceof NameListError) throw error;
    throw new NameListError(path, openProblem(error), { cause: error });
  }
  const info = await handle.stat();
  if (info.isFile()) return handle;
  await handle.close();
  throw new NameListError(path, notRegular);
}

async function fileInFolder(folder: string, path: string): Promise<string> {
  if (!(await lstat(path)).isSymbolicLink()) return path;
  const target = await targetInFolder(await realpath(folder), path);
  if (target === undefined) throw new NameListError(path, leavesFolder);
  return target;
}

/**
 * Hashes the start of an open file and the bytes before `position`: appending leaves both unchanged. Returns null if
 * the file is shorter. Synchronous, because it is called in the transaction that records the position.
 */
export function fingerprintOf({ fd }: FileHandle, position: number): string | null {
  const length = Math.min(fingerprintBytes, position);
  const bytes = new Uint8Array(2 * length);
  try {
    const read = readSync(fd, bytes, 0, length, 0) + readSync(fd, bytes, length, length, position - length);
    return read < bytes.length ? null : Bun.SHA256.hash(bytes, "hex");
  } catch {
    // A fingerprint that is missing costs one more reading.
    return null;
  }
}

/** Returns the fingerprint of a feed's file; null if it cannot be opened. */
export async function readFingerprint(feed: string, path: string, position: number): Promise<string | null> {
  let handle: FileHandle | undefined;
  try {
    handle = await openFeedFile(feed, path);
    return fingerprintOf(handle, position);
  } catch {
    return null;
  } finally {
    await handle?.close();
  }
}

/** Calls `onChange` when something may have changed. A hint only: network file systems send none. */
export function watchForHints(path: string, onChange: () => void): { stop(): void } | undefined {
  try {
    const watcher = watchPath(path, { persistent: false }, onChange);
    watcher.on("error", () => watcher.close());
    return { stop: () => watcher.close() };
  } catch {
    // The folder does not exist yet, or the limit of watches is reached: the regular checks find everything.
    return undefined;
  }
}
