import type { Database as Sqlite } from "bun:sqlite";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { unmark } from "../backup.ts";
import type { OpenFile } from "../files/open-file.ts";
import { syncToDisk } from "../files/sync-to-disk.ts";
import { readPragma } from "../pragmas.ts";

const chunkBytes = 1 << 20;
/** Memory that the rescue of a database may take. Of a larger one, pages may be missing. */
const cacheKibMax = 1 << 20;

/**
 * Copies the open file, which no longer is at its path, to `target`. Yields after each chunk.
 * @throws the system's error, for example because the disk is full
 */
export async function copyOpenFile(file: Pick<OpenFile, "read">, target: string): Promise<void> {
  const partial = `${target}.partial`;
  const descriptor = openSync(partial, "wx", 0o600);
  try {
    const buffer = Buffer.alloc(chunkBytes);
    for (let position = 0; ;) {
      const bytes = file.read(buffer, position);
      if (bytes === 0) break;
      let written = 0;
      while (written < bytes) written += writeSync(descriptor, buffer, written, bytes - written);
      position += bytes;
      await new Promise((resolve) => setImmediate(resolve));
    }
    fsyncSync(descriptor);
    renameSync(partial, target);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Copies a database whose log is gone to `target`. The pages that it contained are only in the memory of this connection, which
 * wrote most of them. Reading must not displace them there.
 * @throws SQLite's or the system's error, for example because a page is missing
 */
export function copyFromMemory(sqlite: Sqlite, target: string): void {
  const partial = `${target}.partial`;
  const kib = (readPragma(sqlite, "page_count") * readPragma(sqlite, "page_size")) / 1_024;
  const before = readPragma(sqlite, "cache_size");
  try {
    closeSync(openSync(partial, "wx", 0o600));
    sqlite.run(`PRAGMA cache_size = -${Math.ceil(Math.min(cacheKibMax, kib))}`);
    sqlite.run("VACUUM INTO ?", [partial]);
    unmark(partial);
    syncToDisk(partial);
    renameSync(partial, target);
  } finally {
    rmSync(partial, { force: true });
    sqlite.run(`PRAGMA cache_size = ${before}`);
  }
}
