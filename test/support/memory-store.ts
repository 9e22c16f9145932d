import { expect } from "bun:test";
import {
  assertKey,
  requireObjectSize,
  sha256Name,
  type BackupStore,
} from "../../src/operations/backups/stores/store.ts";

/** A naive store that other stores are compared with. `objects` is its content, which a test may change. */
export function memoryStore(): BackupStore & { objects: Map<string, Uint8Array<ArrayBuffer>> } {
  const objects = new Map<string, Uint8Array<ArrayBuffer>>();
  return {
    name: "memory",
    nameOf: sha256Name,
    objects,
    async put(key, bytes) {
      assertKey(key);
      requireObjectSize("memory", key, bytes.byteLength);
      objects.set(key, new Uint8Array(bytes));
    },
    async get(key) {
      assertKey(key);
      const found = objects.get(key);
      return found === undefined ? undefined : new Uint8Array(found);
    },
    async *list(prefix) {
      for (const key of [...objects.keys()].sort())
        if (key.startsWith(prefix)) yield { key, bytes: objects.get(key)!.byteLength };
    },
    async delete(key) {
      assertKey(key);
      objects.delete(key);
    },
  };
}

/** Keys that are prefixes of one another, and that sort differently with and without slashes. */
const comparedKeys = [
  "a",
  "a.b",
  "a-b",
  "chunks/00/a",
  "chunks/0",
  "chunks/00.x",
  "backups/2026",
  "backups/2026.json",
];
const comparedPrefixes = ["", "a", "chunks/", "chunks/0", "chunks/00/", "backups/2026.", "none/"];
const comparedSteps = 150;

/** Changes an empty store and the naive one at random, and expects the same content and lists after each step. */
export async function compareWithNaive({
  store,
  random,
  seed,
}: {
  store: BackupStore;
  random: (below: number) => number;
  seed: number;
}): Promise<void> {
  const naive = memoryStore();
  const pick = <Item>(items: readonly Item[]) => items[random(items.length)]!;
  for (let step = 0; step < comparedSteps; step++) {
    const key = pick(comparedKeys);
    const action = random(10);
    if (action < 5) {
      const bytes = new TextEncoder().encode("x".repeat(random(50)));
      await store.put(key, bytes);
      await naive.put(key, bytes);
    } else if (action < 7) {
      await store.delete(key);
      await naive.delete(key);
    }
    expect([seed, step, await store.get(key)]).toEqual([seed, step, await naive.get(key)]);
    const prefix = pick(comparedPrefixes);
    expect([seed, prefix, await listed(store, prefix)]).toEqual([seed, prefix, await listed(naive, prefix)]);
  }
}

/** Returns each object below the prefix as its key and its size. */
export async function listed(store: BackupStore, prefix = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { key, bytes } of store.list(prefix)) found.push(`${key} ${bytes}`);
  return found;
}
