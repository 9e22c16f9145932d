import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";

/** Stores screenshots, one file for each threat and each protected domain, named by its id. */
export interface ScreenshotFiles {
  /** Replaces an earlier screenshot. */
  write(id: string, webp: Uint8Array): Promise<void>;
  /** Returns WebP, or undefined if there is no screenshot. */
  read(id: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

const plainId = /^[a-z0-9_]{1,64}$/;

/** @param folder null with an in-memory database: nothing is kept. */
export function createScreenshotFiles(folder: string | null): ScreenshotFiles {
  const pathOf = (id: string): string => {
    if (folder === null || !plainId.test(id)) throw new Error(`no folder for a screenshot of ${id}`);
    return join(folder, `${id}.webp`);
  };
  return {
    async write(id, webp) {
      const path = pathOf(id);
      await mkdir(folder!, { recursive: true, mode: 0o700 });
      // Readers see the old file or the new one, never a part of it.
      await Bun.write(`${path}.new`, webp);
      await rename(`${path}.new`, path);
    },
    async read(id) {
      if (folder === null) return undefined;
      try {
        return await Bun.file(pathOf(id)).bytes();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
  };
}
