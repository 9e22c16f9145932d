import { toIsoTime, type Instant } from "../../../platform/lib/clock.ts";
import { randomHex } from "../../../platform/lib/ids.ts";
import { newEncryption, openContentStore } from "../encryption/encrypted-store.ts";
import { changeSecret } from "../encryption/repository-key.ts";
import { StoreError, type BackupStore } from "../stores/store.ts";
import {
  backupPrefix,
  chunkPrefix,
  formatVersion,
  hashOf,
  headKeys,
  idOfKey,
  isManifest,
  manifestKey,
  type BackupManifest,
  type RepositoryHead,
} from "./format.ts";
import { keepHead, putHead, useHead, type UsedHead } from "./head.ts";
import { parseJson } from "../../../platform/lib/json.ts";
import type { Needs } from "../stores/needs.ts";

const idBytes = 16;

/** The backups of one appliance in a store. See `format.ts`. */
export interface Repository {
  readonly id: string;
  /** Stores all objects but the head, encrypted if the repository is. */
  readonly store: BackupStore;
  /** Which copies of the head are damaged or missing; undefined: none. */
  readonly headProblem: string | undefined;
  /** Writes copies of the head that are damaged, missing or of an earlier version. The caller holds the lock. @throws StoreError */
  keepHead(): Promise<void>;
  /** Returns the ids of all backups, the oldest first. @throws StoreError */
  ids(): Promise<string[]>;
  /** Returns a backup, or undefined if there is none with this id. @throws StoreError `damaged` */
  find(id: string): Promise<BackupManifest | undefined>;
  /** Completes a backup. All its chunks must have been stored. @throws StoreError */
  add(manifest: Omit<BackupManifest, "hash">): Promise<void>;
  /** Deletes a backup, but not its chunks. @throws StoreError */
  remove(id: string): Promise<void>;
}

/**
 * Opens the repository in a store.
 * @param secret null: none is set
 * @param at time at which it is created if there is none; undefined: it must exist
 * @throws StoreError `not_found`, `wrong_secret`, `damaged`, or `unexpected` for one of a newer version
 */
export async function openRepository({
  store,
  secret,
  fillRandom,
  createAt,
}: Needs<"store" | "fillRandom"> & {
  secret: string | null;
  createAt: Instant | undefined;
}): Promise<Repository> {
  const use = (head: RepositoryHead) => openContentStore({ store, head, secret, fillRandom });
  let used = await openHead(store, use, createAt !== undefined);
  if (used === undefined) {
    await create({ store, secret, fillRandom, createAt });
    used = await openHead(store, use, false);
  }
  if (used === undefined) throw noBackups(store);
  const { head, result: content, problem } = used;
  return {
    id: head.id,
    store: content,
    headProblem: problem,
    keepHead: () => keepHead(store, used),
    async ids() {
      const ids: string[] = [];
      for await (const { key } of content.list(backupPrefix)) {
        const id = idOfKey(key);
        if (id !== undefined) ids.push(id);
      }
      return ids.sort(compareIds);
    },
    async find(id) {
      const bytes = await content.get(manifestKey(id));
      if (bytes === undefined) return undefined;
      const manifest = parseJson(bytes);
      if (isManifest(manifest) && manifest.id === id && hashOf(manifest) === manifest.hash) return manifest;
      throw new StoreError(
        "damaged",
        `${store.name}: the backup ${id} is damaged: ${manifestKey(id)} is invalid`,
      );
    },
    async add(manifest) {
      const complete = { ...manifest, hash: hashOf(manifest) };
      await content.put(manifestKey(manifest.id), Buffer.from(JSON.stringify(complete)));
    },
    remove: (id) => content.delete(manifestKey(id)),
  };
}

/** Returns a backup, or undefined if there is none with this id, or if it is damaged. @throws StoreError */
export async function findUndamaged(
  { find }: Pick<Repository, "find">,
  id: string,
): Promise<BackupManifest | undefined> {
  try {
    return await find(id);
  } catch (error) {
    if (error instanceof StoreError && error.code === "damaged") return undefined;
    throw error;
  }
}

/**
 * Replaces the secret that opens an encrypted repository. Its backups stay as they are.
 * @throws StoreError `wrong_secret`, also for a repository that is not encrypted
 */
export async function changeRepositorySecret({
  store,
  previousSecret,
  secret,
  fillRandom,
}: Needs<"store" | "fillRandom"> & { previousSecret: string; secret: string }): Promise<void> {
  const rewrap = ({ id, encryption }: RepositoryHead) => {
    const { name } = store;
    if (encryption === null)
      throw new StoreError("wrong_secret", `${name}: the backups there are not encrypted`);
    return changeSecret({ name, id, parameters: encryption, previousSecret, secret, fillRandom });
  };
  const used = await openHead(store, async (head) => rewrap(head), false);
  if (used === undefined) throw noBackups(store);
  await putHead(store, { ...used.head, encryption: used.result });
}

function noBackups(store: BackupStore): StoreError {
  return new StoreError("not_found", `${store.name}: there are no backups (no ${headKeys[0]})`);
}

/** @param mayBeMissing whether the folder or bucket is created if there is none */
async function openHead<Result>(
  store: BackupStore,
  use: (head: RepositoryHead) => Promise<Result>,
  mayBeMissing: boolean,
): Promise<UsedHead<Result> | undefined> {
  try {
    return await useHead(store, use);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "not_found") throw error;
    if (mayBeMissing) return undefined;
    const message = `${store.name}: there are no backups: this place does not exist`;
    throw new StoreError("not_found", message, error);
  }
}

/**
 * Backups without a head are those of a store that lost it, or that does not return it now. A new one would have another
 * key, and encrypted backups could never be opened again.
 */
async function requireEmpty(store: BackupStore): Promise<void> {
  try {
    for (const prefix of [backupPrefix, chunkPrefix])
      for await (const { key } of store.list(prefix))
        throw new StoreError(
          "damaged",
          `${store.name}: ${headKeys[0]} is missing, but there is ${key}; put it back from a copy, or use another folder or prefix`,
        );
  } catch (error) {
    // The folder is created with the head.
    if (!(error instanceof StoreError) || error.code !== "not_found") throw error;
  }
}

async function create({
  store,
  secret,
  fillRandom,
  createAt,
}: Parameters<typeof openRepository>[0]): Promise<void> {
  if (createAt === undefined) throw noBackups(store);
  await requireEmpty(store);
  const id = randomHex(fillRandom, idBytes);
  const encryption = secret === null ? null : (await newEncryption({ id, secret, fillRandom })).encryption;
  const head = { format: formatVersion, id, createdAt: toIsoTime(createAt), encryption };
  await putHead(store, head as RepositoryHead);
}

/**
 * Returns the id of a backup that begins at a time. It sorts after the newest one, also if the clock was set back:
 * otherwise the rotation would delete it first.
 */
export function newBackupId(at: Instant, newest: string | undefined): string {
  const base = toIsoTime(at).slice(0, 19).replace("T", "-").replaceAll(":", "");
  if (newest === undefined) return base;
  const [time, number] = partsOf(newest);
  return base > time ? base : `${time}-${number + 1}`;
}

/** Order of ids by time. Later ones with the same time have a number, which text would sort wrongly from 10. */
export function compareIds(a: string, b: string): number {
  const [[timeA, numberA], [timeB, numberB]] = [partsOf(a), partsOf(b)];
  return timeA === timeB ? numberA - numberB : timeA < timeB ? -1 : 1;
}

function partsOf(id: string): [time: string, number: number] {
  return [id.slice(0, 17), Number(id.slice(18) || 1)];
}
