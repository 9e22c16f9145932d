import { StoreError, type BackupStore } from "../stores/store.ts";
import { formatVersion, hashOf, headKeys, isHead, type RepositoryHead } from "./format.ts";
import { parseJson } from "../../../platform/lib/json.ts";

/** Number of fields of the heads that have no checksum. */
const earlierFields = 4;

/**
 * One of the two copies of the head, by what is known about it:
 * - `intact`: its checksum matches
 * - `unchecked`: an earlier version wrote it, without a checksum
 * - `damaged`: it is not what was written; its key may still open an encrypted repository
 * - `unreadable`: the store could not return it
 * - `missing`
 */
interface HeadCopy {
  key: string;
  state: "intact" | "unchecked" | "damaged" | "unreadable" | "missing";
  head: RepositoryHead | undefined;
  bytes: Uint8Array | undefined;
  /** Why it is unreadable. */
  error: unknown;
}

/** A head that was used, and the copies as they were then. */
export interface UsedHead<Result> {
  head: RepositoryHead;
  result: Result;
  copies: HeadCopy[];
  /** Which copies are damaged, unreadable or missing; undefined: none, or an earlier version wrote only one. */
  problem: string | undefined;
}

/**
 * Uses the head of the repository in a store: the first copy that is intact, or the other one.
 * @param use opens what the head describes; throws if this copy does not open it
 * @returns undefined if there is none
 * @throws StoreError of `use` for a copy that is intact; else `damaged`, or `unexpected` for one of a newer version
 */
export async function useHead<Result>(
  store: BackupStore,
  use: (head: RepositoryHead) => Promise<Result>,
): Promise<UsedHead<Result> | undefined> {
  const copies = await readCopies(store);
  if (copies.every(({ state }) => state === "missing")) return undefined;
  const order = (["intact", "unchecked", "damaged"] as const)
    .flatMap((state) => copies.filter((copy) => copy.state === state))
    // The same head does not open either: trying takes a fifth of a second.
    .filter(({ head }, index, all) => all.findIndex((one) => one.head?.hash === head?.hash) === index);
  let failure: unknown;
  for (const { head, state } of order) {
    try {
      if (state !== "damaged") requireKnownFormat(store, head);
      // Without encryption, nothing but the checksum shows what a head should be.
      if (head === undefined || (state === "damaged" && head.encryption === null)) continue;
      return { head, result: await use(head), copies, problem: problemOf(store, copies) };
    } catch (error) {
      if (state !== "damaged") failure ??= state === "intact" ? error : orDamaged(error);
    }
  }
  throw (
    failure ??
    copies.find(({ error }) => error !== undefined)?.error ??
    new StoreError(
      "damaged",
      `${problemOf(store, copies)}, and without it no backup there can be opened; put the file back from a copy of the folder or bucket`,
    )
  );
}

/** @param head undefined: it has a form that this version does not know */
function requireKnownFormat({ name }: Pick<BackupStore, "name">, head: RepositoryHead | undefined): void {
  if (head !== undefined && head.format <= formatVersion) return;
  throw new StoreError(
    "unexpected",
    `${name}: a newer version of phishwatch wrote these backups; run that version`,
  );
}

function orDamaged(error: unknown): unknown {
  if (!(error instanceof StoreError) || error.code !== "wrong_secret") return error;
  return new StoreError(
    "wrong_secret",
    `${error.message}; or ${headKeys[0]} is damaged: an earlier version wrote it, without a checksum`,
    error,
  );
}

function problemOf({ name }: Pick<BackupStore, "name">, copies: readonly HeadCopy[]): string | undefined {
  const isSingle = copies.some(({ state }) => state === "unchecked");
  const bad = copies.filter(
    ({ state }) => /damaged|unreadable/.test(state) || (state === "missing" && !isSingle),
  );
  if (bad.length === 0) return undefined;
  return `${name}: ${bad.map(({ key, state }) => `${key} is ${state}`).join(", and ")}`;
}

/** Writes both copies. If others create the repository at the same time, the last first copy counts. */
export async function putHead(store: BackupStore, head: RepositoryHead): Promise<void> {
  for (const key of headKeys) await store.put(key, bytesOf(head));
}

/**
 * Writes the copies that are not equal to the head that was used. The caller holds the lock of the repository. Does
 * nothing if a copy was changed since, for example by a new secret.
 * @throws StoreError
 */
export async function keepHead(store: BackupStore, { head, copies }: UsedHead<unknown>): Promise<void> {
  const isSame = (present: HeadCopy, index: number) => Bun.deepEquals(present.bytes, copies[index]!.bytes);
  if (copies.every(({ bytes }) => Bun.deepEquals(bytes, bytesOf(head)))) return;
  if ((await readCopies(store)).every(isSame)) await putHead(store, head);
}

function bytesOf(head: RepositoryHead): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ ...head, hash: hashOf(head) }, null, 2)}\n`);
}

/** @throws StoreError `not_found` if the folder or bucket does not exist */
async function readCopies(store: BackupStore): Promise<HeadCopy[]> {
  const copies: HeadCopy[] = [];
  for (const key of headKeys) {
    try {
      const bytes = await store.get(key);
      copies.push({ key, bytes, error: undefined, ...stateOf(bytes) });
    } catch (error) {
      if (error instanceof StoreError && error.code === "not_found") throw error;
      copies.push({ key, bytes: undefined, error, state: "unreadable", head: undefined });
    }
  }
  return copies;
}

function stateOf(bytes: Uint8Array | undefined): Pick<HeadCopy, "state" | "head"> {
  if (bytes === undefined) return { state: "missing", head: undefined };
  const value = parseJson(bytes) as Partial<RepositoryHead> | null | undefined;
  const head = isHead(value) ? value : undefined;
  // With further fields, it is one whose field `hash` was renamed by damage.
  if (head !== undefined && Object.keys(head).length === earlierFields) return { state: "unchecked", head };
  const isIntact = typeof value?.hash === "string" && hashOf(value) === value.hash;
  return { state: isIntact ? "intact" : "damaged", head };
}
