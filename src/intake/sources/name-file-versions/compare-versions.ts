import type { Yielder } from "../../../platform/lib/yielder.ts";
import { createHashFile, openHashFile, type HashFile, type HashFileWriter } from "./hash-file.ts";
import type { HashSorter } from "./hash-sorter.ts";

/** More new names than this are not kept apart: the whole list is read again instead, which loses nothing. */
export const addedMax = 1_000_000;

/** Differences between a version of a list and the one before it. */
export type VersionChange = Awaited<ReturnType<typeof compareVersions>>;

interface CompareVersionsOptions {
  sorter: HashSorter;
  key: Uint8Array;
  before: HashFile | undefined;
  hashesPath: string;
  addedPath: string;
  yielder: Yielder;
  signal: AbortSignal;
}

/**
 * Writes the hashes of a version to a file, and those that the version before did not have to another one.
 * @param before undefined: there is no version to compare with, so all names are new.
 * @param yielder divides the work into slices.
 */
export async function compareVersions(options: CompareVersionsOptions) {
  const { sorter, key, before, hashesPath, addedPath, yielder, signal } = options;
  const change = {
    /** Number of different names in the version. */
    names: 0,
    /** Number of names that the version before did not have. */
    added: 0,
    /** Number of names that only the version before had. */
    removed: 0,
    /** Whether the added names are written to a file. */
    isAddedKept: before !== undefined,
  };
  const known = knownHashes(before);
  const hashes = await createHashFile(hashesPath, key);
  let added: HashFileWriter | undefined;
  try {
    added = await createHashFile(addedPath, key);
    for await (const part of sorter.parts()) {
      signal.throwIfAborted();
      const fresh = new Float64Array(part.length);
      let count = 0;
      for (const hash of part) {
        if (known.isUsedUp()) await known.load();
        while (known.isBelow(hash)) {
          known.skip();
          if (known.isUsedUp()) await known.load();
        }
        if (known.is(hash)) known.skip();
        else fresh[count++] = hash;
      }
      await hashes.write(part);
      change.names += part.length;
      change.added += count;
      if (change.added > addedMax) change.isAddedKept = false;
      if (change.isAddedKept) await added.write(fresh.subarray(0, count));
      if (yielder.due()) await yielder.pause();
    }
    change.removed = (before?.count ?? 0) - (change.names - change.added);
    await hashes.finish();
    if (change.isAddedKept) await added.finish();
    else await added.discard();
    return change;
  } catch (error) {
    await Promise.all([hashes.discard(), added?.discard()]);
    throw error;
  }
}

/** Walks through the hashes of the version before. */
function knownHashes(before: HashFile | undefined) {
  let block = new Float64Array(0);
  let at = 0;
  let isAtEnd = before === undefined;
  return {
    isUsedUp: () => at === block.length && !isAtEnd,
    async load() {
      block = (await before!.next()) as Float64Array<ArrayBuffer>;
      at = 0;
      isAtEnd = block.length === 0;
    },
    isBelow: (hash: number) => at < block.length && (block[at] ?? 0) < hash,
    is: (hash: number) => block[at] === hash,
    skip: () => void at++,
  };
}

/** Reads a file of hashes into memory. Returns undefined if it is missing, incomplete, damaged or too long. */
export async function readHashSet(path: string): Promise<{ key: Uint8Array; hashes: HashSet } | undefined> {
  const file = await openHashFile(path);
  if (file === undefined) return undefined;
  try {
    if (file.count > addedMax) return undefined;
    const hashes = createHashSet(file.count);
    // Block by block, so that a million hashes do not stop the event loop.
    for (;;) {
      const block = await file.next();
      if (block.length === 0) return { key: file.key, hashes };
      for (const hash of block) hashes.add(hash);
    }
  } finally {
    await file.close();
  }
}

/** A set of hashes in 16 to 32 bytes per hash, without allocation per hash. */
type HashSet = ReturnType<typeof createHashSet>;

const empty = -1;

/** @param hashesMax maximum number of hashes that are added. */
function createHashSet(hashesMax: number) {
  const capacity = 2 ** Math.ceil(Math.log2(Math.max(8, 2 * hashesMax)));
  const slots = new Float64Array(capacity).fill(empty);
  const value = new Float64Array(1);
  const bits = new Uint32Array(value.buffer);
  const mask = capacity - 1;
  const slotOf = (hash: number) => {
    value[0] = hash;
    let slot = (bits[0] ?? 0) & mask;
    while (slots[slot] !== empty && slots[slot] !== hash) slot = (slot + 1) & mask;
    return slot;
  };
  return {
    add: (hash: number) => void (slots[slotOf(hash)] = hash),
    has: (hash: number) => slots[slotOf(hash)] === hash,
  };
}
