import {
  assertKey,
  requireObjectSize,
  sha256Name,
  type BackupStore,
} from "../../src/backups/stores/store.ts";

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
