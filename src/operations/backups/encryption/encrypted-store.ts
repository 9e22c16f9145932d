import { createHmac } from "node:crypto";
import { type BackupStore, requireObjectSize, StoreError } from "../stores/store.ts";
import {
  createRepositoryKey,
  openRepositoryKey,
  type RepositoryKeys,
  seal,
  unseal,
} from "./repository-key.ts";
import type { Needs } from "../stores/needs.ts";

/** Part of the head of a repository that describes its encryption. It is not encrypted, and others may have changed it. */
interface EncryptedHead {
  /** Identifies the repository. */
  id: string;
  /** Null: not encrypted. */
  encryption: unknown;
}

/**
 * Returns the store for the content of a repository: `store` itself, or one that encrypts.
 * @param secret null: none is set
 * @throws StoreError `wrong_secret`; also if a secret is set and the repository is not encrypted, because others could
 * have replaced its head to receive the next backups in the clear
 */
export async function openContentStore({
  store,
  head,
  secret,
  fillRandom,
}: Needs<"store" | "fillRandom"> & { head: EncryptedHead; secret: string | null }): Promise<BackupStore> {
  const { id, encryption } = head;
  if (encryption === null) {
    if (secret === null) return store;
    throw new StoreError(
      "wrong_secret",
      `${store.name}: the backups there are not encrypted, but backup.encrypt_with is set; use another folder or prefix, or remove encrypt_with`,
    );
  }
  if (secret === null)
    throw new StoreError(
      "wrong_secret",
      `${store.name}: the backups there are encrypted; set backup.encrypt_with to their secret`,
    );
  const keys = await openRepositoryKey({ name: store.name, id, parameters: encryption, secret });
  return encryptedStore({ store, id, keys, fillRandom });
}

/**
 * Returns the parameters for the head of a new repository.
 * @param cost of scrypt; only tests choose a lower one
 */
export async function newEncryption(
  options: Parameters<typeof createRepositoryKey>[0],
): Promise<EncryptedHead> {
  const { parameters } = await createRepositoryKey(options);
  return { id: options.id, encryption: parameters };
}

/**
 * Returns a store that encrypts every object with AES-256-GCM. The key of an object and the repository are
 * authenticated, so that an object that replaces another one does not open. Names of content are a keyed
 * hash. The store can see keys, sizes and times, and can return an earlier state of the repository.
 */
function encryptedStore({
  store,
  id,
  keys,
  fillRandom,
}: Needs<"store" | "fillRandom"> & { id: string; keys: RepositoryKeys }): BackupStore {
  const contextOf = (key: string) => `phishwatch backup object ${id} ${key}`;
  return {
    name: store.name,
    nameOf: (content) => createHmac("sha256", keys.names).update(content).digest("hex"),
    async put(key, bytes) {
      requireObjectSize(store.name, key, bytes.byteLength);
      const context = contextOf(key);
      await store.put(key, seal(bytes, { key: keys.content, context, fillRandom }));
    },
    async get(key) {
      const sealed = await store.get(key);
      if (sealed === undefined) return undefined;
      const content = unseal(sealed, { key: keys.content, context: contextOf(key) });
      if (content !== undefined) return content;
      throw new StoreError(
        "damaged",
        `${store.name}: ${key} is damaged: it was changed, truncated or swapped with another object`,
      );
    },
    list: (prefix) => store.list(prefix),
    delete: (key) => store.delete(key),
  };
}
