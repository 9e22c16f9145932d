import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";

/** Captured pages, one file for each threat and for each protected domain, by their identifiers. */
export interface Pictures {
  /** Takes the place of an earlier one. */
  write(id: string, webp: Uint8Array): Promise<void>;
  /** WebP; undefined: there is none. */
  read(id: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

const plainId = /^[a-z0-9_]{1,64}$/;

/** @param folder null: nothing is kept (a database in memory) */
export function createPictures(folder: string | null): Pictures {
  const pathOf = (id: string): string => {
    if (folder === null || !plainId.test(id)) throw new Error(`no place for a picture of ${id}`);
    return join(folder, `${id}.webp`);
  };
  return {
    async write(id, webp) {
      const path = pathOf(id);
      await mkdir(folder!, { recursive: true, mode: 0o700 });
      // Readers see the old picture or the new one, never half of it.
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
