import { readdirSync, readFileSync } from "node:fs";
import type { Clock } from "../../../platform/lib/clock.ts";
import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { logDropped } from "../../../platform/lib/log.ts";
import type { Needs } from "../../../platform/lib/needs.ts";

const mebibyte = 1024 * 1024;
/** Memory that a browser and all its processes may take. A common page takes less than 500 MiB. */
const memoryBytesMax = 2_048 * mebibyte;
const pollMs = 500;
const kibibyte = 1_024;

interface WatchBrowserMemoryOptions {
  bytesMax?: number;
  clock: Pick<Clock, "after">;
  onTooMuch: (reason: string) => void;
  profile: string;
}

/**
 * Calls `onTooMuch` with the reason when the browser with this profile, a child of this process, takes too much memory. Only
 * Linux says how much it takes.
 */
export function watchBrowserMemory(options: WatchBrowserMemoryOptions): { cancel(): void } {
  const { bytesMax = memoryBytesMax, clock, onTooMuch, profile } = options;
  const parents = new Map<number, number>();
  const check = () => {
    const bytes = memoryOf(profile, parents);
    if (bytes > bytesMax)
      return onTooMuch(`its page takes more than ${Math.round(bytesMax / mebibyte)} MiB of memory`);
    timer = clock.after(pollMs, check);
  };
  let timer = clock.after(pollMs, check);
  return { cancel: () => timer.cancel() };
}

/** @param parents by process, known from earlier calls, because a parent rarely changes */
function memoryOf(profile: string, parents: Map<number, number>): number {
  const running = (textOf(() => readdirSync("/proc").join(" ")).match(/\b\d+\b/g) ?? []).map(Number);
  const children = Map.groupBy(running, (id) => {
    const parent = parents.get(id) ?? parentOf(id);
    parents.set(id, parent);
    return parent;
  });
  const isBrowser = (id: number) => read(`/proc/${id}/cmdline`).includes(profile);
  const found = (children.get(process.pid) ?? []).filter(isBrowser);
  for (const id of found) found.push(...(children.get(id) ?? []));
  return found.reduce((sum, id) => sum + residentBytesOf(id), 0);
}

function parentOf(id: number): number {
  // The name of the process, in parentheses, can contain anything.
  const stat = read(`/proc/${id}/stat`);
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
}

/** Returns the memory of a process without what it shares with others as parts of files. */
function residentBytesOf(id: number): number {
  const rows = read(`/proc/${id}/status`).matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm);
  return [...rows].reduce((sum, [, kibibytes]) => sum + Number(kibibytes) * kibibyte, 0);
}

function read(path: string): string {
  return textOf(() => readFileSync(path, "latin1"));
}

/** Returns nothing for a process that has ended, and on systems without these files. */
function textOf(get: () => string): string {
  try {
    return get();
  } catch {
    return "";
  }
}

const prefix = "phishwatch-chromium-";
const minuteMs = 60_000;
/** Age from which a profile belongs to no browser anymore: a screenshot takes seconds. */
const leftoverMs = 10 * minuteMs;

/**
 * Folders in which browsers keep their profiles, each for one screenshot.
 * Deletes also what is left of earlier profiles: a process that was killed leaves its own, and a browser that is ending
 * may write into a profile after it was deleted.
 * @param folder folder for the profiles, which others may use, too.
 */
export function createProfileFolders({ clock, folder, log }: Needs<"clock" | "log"> & { folder: string }) {
  let sweptMs: number | undefined;

  /** Deletes a profile. Never rejects. */
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
