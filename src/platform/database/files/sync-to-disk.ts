import { closeSync, fsyncSync, openSync } from "node:fs";

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
