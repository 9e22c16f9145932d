import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { bytesText } from "./durations.ts";

/** Below this, a few batches of events could fail: the server is not ready. */
const fullBytes = 16 << 20;
/** Below this, an operator should make room. */
const nearlyFullBytes = 512 << 20;

export interface DiskRoom {
  freeBytes: number;
  /** How much has to be deleted until the level is ok. */
  missingBytes: number;
  level: "ok" | "nearly full" | "full";
  /** Such as "3.2 GB free". */
  text: string;
}

/** Returns the room on the disk of the file. @throws the system's error */
export function diskRoomFor(path: string): DiskRoom {
  const { bavail, bsize } = statfsSync(dirname(path));
  const freeBytes = bavail * bsize;
  const level = freeBytes < fullBytes ? "full" : freeBytes < nearlyFullBytes ? "nearly full" : "ok";
  const missingBytes = Math.max(0, nearlyFullBytes - freeBytes);
  return { freeBytes, missingBytes, level, text: `${bytesText(freeBytes)} free` };
}

/**
 * Waits until the content of a file, or the names in a folder, are on the disk: a power cut no longer loses them.
 * @throws an error of the system
 */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

interface ReplaceOptions {
  /** Whatever the umask is. Default: only its owner can read it. */
  mode?: number;
  owner?: { uid: number; gid: number };
  /** Whether a power cut must not lose the new content. */
  durable?: boolean;
}

/**
 * Replaces a file in one step: others see its whole old or its whole new content. A process that is killed leaves at most
 * `<path>.new`, which the next call replaces. Never writes through a link that somebody has put there.
 * @throws an error of the system
 */
export function replaceFile(
  path: string,
  content: Uint8Array | string,
  { mode = 0o600, owner, durable = true }: ReplaceOptions = {},
): void {
  const next = `${path}.new`;
  rmSync(next, { force: true });
  try {
    const file = openSync(next, "wx", 0o600);
    try {
      writeFileSync(file, content);
      if (owner !== undefined) fchownSync(file, owner.uid, owner.gid);
      if (mode !== 0o600) fchmodSync(file, mode);
      if (durable) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
  if (durable) syncToDisk(dirname(path));
}
