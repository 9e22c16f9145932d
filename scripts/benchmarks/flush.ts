import { closeSync, fsyncSync, openSync } from "node:fs";

/** Writes a seeded file to the disk. Otherwise, the first commit of a server would wait until all of it is written. */
export function flush(path: string): void {
  const descriptor = openSync(path, "r+");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
