import { getChunk, putChunk } from "../repository/file-list.ts";
import type { RepositoryLock } from "../repository/lock.ts";
import { chunkKey, chunkPrefix } from "../repository/format.ts";
import type { Needs } from "../repository/needs.ts";

/** Objects that are written at the same time: an S3 service takes tens of milliseconds for each. */
const concurrencyMax = 4;

/** Stores the chunks of one backup. */
export type ChunkWriter = Awaited<ReturnType<typeof createChunkWriter>>;

/**
 * Lists the chunks of the store first.
 * @param reuses false: also stores chunks again that the store has
 * @throws StoreError
 */
export async function createChunkWriter({
  store,
  reuses,
  signal,
}: Needs<"store" | "signal"> & { reuses: boolean }) {
  const known = new Set<string>();
  if (reuses)
    for await (const { key } of store.list(chunkPrefix)) known.add(key.slice(key.lastIndexOf("/") + 1));
  const added: string[] = [];
  /** Size of the content that was written, and of the objects. */
  const written = { newBytes: 0, storedBytes: 0 };
  const running = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;

  const requireSuccess = () => {
    if (failure !== undefined) throw failure.error;
    signal.throwIfAborted();
  };

  return {
    /** Returns the name of a chunk with this content, which is stored unless the store has it. @throws StoreError */
    async write(content: Uint8Array) {
      requireSuccess();
      const name = store.nameOf(content);
      if (known.has(name)) return name;
      known.add(name);
      while (running.size >= concurrencyMax) await Promise.race(running);
      requireSuccess();
      added.push(name);
      written.newBytes += content.length;
      // Compresses before it returns: the caller reuses its buffer.
      const writing: Promise<void> = putChunk(store, name, content)
        .then((bytes) => void (written.storedBytes += bytes))
        .catch((error: unknown) => void (failure ??= { error }))
        .finally(() => running.delete(writing));
      running.add(writing);
      return name;
    },

    /** Resolves when everything has been stored. @throws StoreError of any of the writes */
    async finish() {
      await Promise.all(running);
      requireSuccess();
    },

    /**
     * Reads each chunk that was written, and compares its content with its name.
     * @throws StoreError `damaged`
     */
    async verifyWritten() {
      const names = added.values();
      const verify = async () => {
        for (const name of names) {
          await getChunk(store, name);
          requireSuccess();
        }
      };
      const workers = Array.from({ length: concurrencyMax }, () =>
        verify().catch((error: unknown) => void (failure ??= { error })),
      );
      await Promise.all(workers);
      requireSuccess();
    },

    /**
     * Ends a backup that has failed: waits for writes in progress, and deletes what was stored. Otherwise backups that fail
     * because a disk is full would fill it. Deletes nothing if another process has the lock: its backup may name these chunks.
     * Never rejects.
     */
    async abandon(lock: Pick<RepositoryLock, "requireHeld">) {
      await Promise.all(running);
      // Chunks that were stored again belong to other backups.
      if (!reuses) return;
      try {
        await lock.requireHeld();
        for (const name of added) await store.delete(chunkKey(name));
      } catch {
        // The next rotation deletes the rest.
      }
    },

    /** Returns whether the store has a chunk. */
    has: (name: string) => known.has(name),
    written,
  };
}
