import {
  chmodSync,
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { syncToDisk } from "../database/files/sync-to-disk.ts";

/** Owner, group and mode of a file. */
export interface FileAccess {
  uid: number;
  gid: number;
  mode: number;
}

/**
 * Replaces a file atomically: another process sees the whole old or the whole new content. A killed process leaves at
 * most `<path>.new`, which the next call replaces. Only for folders that no other user may write to.
 */
export function replaceFile(
  path: string,
  content: Uint8Array | string,
  { uid, gid, mode }: FileAccess,
): void {
  const temporary = `${path}.new`;
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  // Not through a link that has this name.
  rmSync(temporary, { force: true });
  const file = openSync(temporary, "wx", 0o600);
  try {
    for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
    fchownSync(file, uid, gid);
    fchmodSync(file, mode);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
  syncToDisk(dirname(path));
}

/** Creates a folder of the system, with the folders above it, that every user may enter whatever the umask is. */
export function createFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true });
  if (first === undefined) return;
  for (let folder = path; folder.length >= first.length; folder = dirname(folder)) chmodSync(folder, 0o755);
}

/** Returns the content of a file, or undefined if it does not exist. */
export function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw error;
  }
}
