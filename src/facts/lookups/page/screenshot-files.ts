import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Instant } from "../../../platform/lib/clock.ts";
import { undefinedIfMissing } from "../../../platform/lib/errors.ts";

/** Stores screenshots, one file for each threat and each protected domain, named by its id. */
export interface ScreenshotFiles {
  /** Replaces an earlier screenshot. */
  write(id: string, webp: Uint8Array): Promise<void>;
  /** Deletes a screenshot, if there is one. */
  remove(id: string): Promise<void>;
  /** Returns WebP, or undefined if there is no screenshot. */
  read(id: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Returns when a screenshot was stored; undefined if there is none, or if that is not known. */
  writtenAt(id: string): Promise<Instant | undefined>;
}

/** The same as a folder that can be cleared. */
export interface ScreenshotFolder extends ScreenshotFiles {
  /** Returns the ids of all screenshots. */
  ids(): Promise<string[]>;
}

const plainId = /^[a-z0-9_]{1,64}$/;

/** @param folder null with an in-memory database: nothing is kept. */
export function createScreenshotFiles(folder: string | null): ScreenshotFolder {
  const pathOf = (id: string): string => {
    if (folder === null || !plainId.test(id)) throw new Error(`no folder for a screenshot of ${id}`);
    return join(folder, `${id}.webp`);
  };
  const find = async <T>(id: string, read: (file: Bun.BunFile) => Promise<T>): Promise<T | undefined> => {
    if (folder === null) return undefined;
    return read(Bun.file(pathOf(id))).catch(undefinedIfMissing);
  };
  return {
    async write(id, webp) {
      const path = pathOf(id);
      await mkdir(folder!, { recursive: true, mode: 0o700 });
      // Readers see the old file or the new one, never a part of it.
      await Bun.write(`${path}.new`, webp);
      await rename(`${path}.new`, path);
    },
    async remove(id) {
      if (folder === null) return;
      for (const path of [pathOf(id), `${pathOf(id)}.new`]) await rm(path, { force: true });
    },
    async ids() {
      if (folder === null) return [];
      const names = (await readdir(folder).catch(undefinedIfMissing)) ?? [];
      const ids = names.map((name) => name.replace(/\.webp(\.new)?$/, ""));
      return [...new Set(ids.filter((id) => plainId.test(id)))];
    },
    read: (id) => find(id, (file) => file.bytes()),
    writtenAt: (id) => find(id, async (file) => (await file.stat()).mtimeMs),
  };
}

/** A screenshot (WebP), with the time at which it was stored if that is known. */
export interface StoredScreenshot {
  webp: Uint8Array<ArrayBuffer>;
  at: Instant | undefined;
}

export async function readDated(files: ScreenshotFiles, id: string): Promise<StoredScreenshot | undefined> {
  const webp = await files.read(id);
  return webp === undefined ? undefined : { webp, at: await files.writtenAt(id) };
}
