import { closeSync, openSync, readSync, watch as watchPath } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isTemporary, type FileState } from "./read-decision.ts";

const filesMax = 100_000;
const fingerprintBytes = 1024;

/** Files of a feed, the one that was written first coming first. */
export type Listing =
  | { files: (FileState & { path: string })[] }
  /** Why there are none. */
  | { missing: string };

/** Returns the file itself, or the files in the folder, without those in its subfolders. */
export async function listFiles(path: string): Promise<Listing> {
  try {
    const info = await stat(path);
    if (!info.isDirectory())
      return { files: [{ path, bytes: info.size, modifiedAt: Math.floor(info.mtimeMs) }] };
    const names = (await readdir(path)).filter((name) => !isTemporary(name));
    if (names.length > filesMax) return { missing: `it holds more than ${filesMax} files` };
    const files = [];
    for (const name of names) {
      const file = join(path, name);
      // It may have been removed since, or be a broken link.
      const found = await stat(file).catch(() => undefined);
      if (found?.isFile() === true)
        files.push({ path: file, bytes: found.size, modifiedAt: Math.floor(found.mtimeMs) });
    }
    return { files: files.sort((a, b) => a.modifiedAt - b.modifiedAt || (a.path < b.path ? -1 : 1)) };
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "ENOENT") return { missing: "it does not exist" };
    if (code === "EACCES") return { missing: "this user may not read it" };
    return { missing: code ?? String(error) };
  }
}

/**
 * Hashes the start of a file and the bytes before `position`: appending leaves both unchanged. Returns null if the
 * file is shorter or was removed. Synchronous, because it is called in the transaction that records the position.
 */
export function fingerprintOf(path: string, position: number): string | null {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const length = Math.min(fingerprintBytes, position);
    const bytes = new Uint8Array(2 * length);
    const read =
      readSync(file, bytes, 0, length, 0) + readSync(file, bytes, length, length, position - length);
    return read < bytes.length ? null : Bun.SHA256.hash(bytes, "hex");
  } catch {
    return null;
  } finally {
    if (file !== undefined) closeSync(file);
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
