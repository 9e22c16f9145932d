import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { logDropped } from "../../../platform/lib/log.ts";
import type { Needs } from "../../../platform/lib/needs.ts";

/** Folders in which browsers keep their profiles, each for one screenshot. */
export interface ProfileFolders {
  create(): Promise<string>;
  /** Deletes a profile. Never rejects. */
  remove(profile: string): Promise<void>;
}

const prefix = "phishwatch-chromium-";
const minuteMs = 60_000;
/** Age from which a profile belongs to no browser anymore: a screenshot takes seconds. */
const leftoverMs = 10 * minuteMs;

/**
 * Deletes also what is left of earlier profiles: a process that was killed leaves its own, and a browser that is ending
 * may write into a profile after it was deleted.
 * @param folder folder for the profiles, which others may use, too.
 */
export function createProfileFolders({
  clock,
  folder,
  log,
}: Needs<"clock" | "log"> & { folder: string }): ProfileFolders {
  let sweptMs: number | undefined;

  async function remove(profile: string): Promise<void> {
    await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }).catch(
      (error: unknown) => logDropped(log, error, "screenshots.profile_not_deleted"),
    );
  }

  async function sweep(): Promise<void> {
    const nowMs = clock.monotonicMs();
    if (sweptMs !== undefined && nowMs - sweptMs < leftoverMs) return;
    sweptMs = nowMs;
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((one) => one.startsWith(prefix))) {
      const path = join(folder, name);
      const found = await lstat(path).catch(() => undefined);
      const isOwn = found?.isDirectory() === true && found.uid === process.getuid?.();
      if (isOwn && clock.now() - found.mtimeMs > leftoverMs) await remove(path);
    }
  }

  return {
    async create() {
      await sweep();
      return mkdtemp(join(folder, prefix));
    },
    remove,
  };
}
