import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import type { OpenFile } from "../files/open-file.ts";

const chunkBytes = 1 << 20;

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
