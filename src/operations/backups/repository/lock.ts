import { toIsoTime, type Clock, type Instant } from "../../../platform/lib/clock.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { StoreError, type BackupStore } from "../stores/store.ts";
import { lockPrefix } from "./format.ts";
import { fieldsOf, parseJson } from "../../../platform/lib/json.ts";
import type { Needs } from "../stores/needs.ts";

/** How often the holder writes its lock again. */
const refreshMs = 60_000;
/** A lock that was not written for this long was left by a process that has ended. */
const staleMs = 15 * 60_000;

const hostCharactersMax = 100;

/** The process that holds a lock. */
export interface LockOwner {
  host: string;
  pid: number;
  /** Unique among the locks of all processes: lowercase hexadecimal digits. */
  token: string;
}

interface LockContent extends LockOwner {
  /** ISO time. */
  refreshedAt: string;
}

/** A lock that this process has acquired. */
export interface RepositoryLock {
  /**
   * Another process that took the lock may have deleted what was stored since.
   * @throws StoreError `unexpected` if another process has taken it
   */
  requireHeld(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Lets one process write to a repository: a store has no locks of its own. Each process writes an object and then lists
 * those of others. Of two that begin at the same time, at most one continues. The
 * holder checks it before each step that another one could have broken: a machine that slept, or whose clock was set, may
 * have lost it.
 * @param isRunning returns whether a process of this machine is running
 * @throws StoreError `unexpected` if another process holds it
 */
export async function lockRepository({
  store,
  owner,
  clock,
  isRunning,
}: Needs<"store" | "clock"> & {
  owner: LockOwner;
  isRunning: (pid: number) => boolean;
}): Promise<RepositoryLock> {
  const key = `${lockPrefix}${owner.token}.json`;
  const write = () => {
    const content: LockContent = { ...owner, refreshedAt: toIsoTime(clock.now()) };
    return store.put(key, Buffer.from(JSON.stringify(content)));
  };
  await write();
  try {
    for await (const { key: other } of store.list(lockPrefix)) {
      if (other === key) continue;
      const held = await readLock(store, other);
      if (held !== undefined && !isLeft(held)) {
        throw new StoreError(
          "unexpected",
          `${store.name}: another backup is being made (process ${held.pid} on ${held.host}); try again when it has finished, or after ${staleMs / 60_000} minutes if that machine was stopped`,
        );
      }
      await store.delete(other);
    }
  } catch (error) {
    await store.delete(key);
    throw error;
  }

  function isLeft({ host, pid, refreshedAt }: LockContent): boolean {
    if (!isFresh(refreshedAt, clock.now())) return true;
    // This process makes one backup at a time, so a lock of the same number is of an earlier process.
    return host === owner.host && (pid === owner.pid || !isRunning(pid));
  }

  async function requireHeld(): Promise<void> {
    if ((await store.get(key)) !== undefined) return;
    throw new StoreError(
      "unexpected",
      `${store.name}: another backup was begun while this one was interrupted; make it again`,
    );
  }
  /** Does not write a lock that another process has deleted. */
  async function refresh(): Promise<void> {
    await requireHeld();
    await write();
  }

  let refreshing = Promise.resolve();
  let timer = schedule();
  function schedule() {
    return clock.after(refreshMs, () => {
      // A lock that cannot be written fails the backup at the next object.
      refreshing = refresh().catch(() => {});
      timer = schedule();
    });
  }
  return {
    requireHeld,
    async release() {
      timer.cancel();
      await refreshing;
      // If the store fails now, the lock becomes stale.
      await store.delete(key).catch(() => {});
    },
  };
}

/**
 * Returns a process that is making a backup, or undefined if none is. It may be of another machine.
 * @throws StoreError
 */
export async function findLockOwner(
  store: BackupStore,
  clock: Pick<Clock, "now">,
): Promise<LockOwner | undefined> {
  for await (const { key } of store.list(lockPrefix)) {
    const held = await readLock(store, key);
    if (held !== undefined && isFresh(held.refreshedAt, clock.now())) return held;
  }
  return undefined;
}

/** An invalid time, or one in the future, is not fresh: it would hold the lock forever. */
function isFresh(refreshedAt: string, now: Instant): boolean {
  return Math.abs(now - Date.parse(refreshedAt)) <= staleMs;
}

/** Returns undefined for one that is missing or damaged: its owner notices that it is deleted. @throws StoreError */
async function readLock(store: BackupStore, key: string): Promise<LockContent | undefined> {
  try {
    const bytes = await store.get(key);
    return bytes === undefined ? undefined : parseLock(bytes);
  } catch (error) {
    if (error instanceof StoreError && error.code === "damaged") return undefined;
    throw error;
  }
}

function parseLock(bytes: Uint8Array): LockContent | undefined {
  const { host, pid, token, refreshedAt } = fieldsOf(parseJson(bytes));
  if (typeof host !== "string" || typeof pid !== "number" || typeof refreshedAt !== "string")
    return undefined;
  return { host: visible(host, hostCharactersMax), pid, token: String(token), refreshedAt };
}
