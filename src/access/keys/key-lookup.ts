import type { Database } from "../../platform/database/database.ts";
import { hashKey } from "./key-format.ts";
import type { apiKeys } from "./tables.ts";

type KeyRecord = Omit<typeof apiKeys.$inferSelect, "hash">;

/**
 * Finds the record of a key, from a cache if possible.
 *
 * Caching records by hash reduces the cost per request from 6 to 2 µs. A key that another process revokes stops working
 * at once nevertheless, because that process's commit changes the database version.
 */
export function createKeyLookup({
  database,
  read,
}: {
  database: Pick<Database, "foreignVersion">;
  /** Reads the record with this hash from the database. */
  read: (hash: Buffer) => KeyRecord | undefined;
}) {
  const cache = new Map<string, KeyRecord>();
  let cachedVersion: number | undefined;
  return {
    find(key: string): KeyRecord | undefined {
      const version = database.foreignVersion();
      if (version !== cachedVersion) cache.clear();
      cachedVersion = version;
      const hash = Bun.SHA256.hash(key, "hex");
      const cached = cache.get(hash);
      if (cached !== undefined) return cached;
      const record = read(hashKey(key));
      // Unknown keys are not cached, because a client could send any number of them.
      if (record !== undefined) cache.set(hash, record);
      return record;
    },
    /** Empties the cache; call it after every change of a key. */
    clear: () => cache.clear(),
  };
}
