import { visible } from "../../../platform/lib/safe-text.ts";
import { type BackupManifest, chunkPrefix } from "./format.ts";
import { compareIds, findUndamaged, newBackupId, type Repository } from "./repository.ts";
import { dayMs, type Instant } from "../../../platform/lib/clock.ts";
import { StoreError } from "../stores/store.ts";
import { chunksOf, readFileList } from "./file-list.ts";

/** Longer names are truncated. */
export const hostCharactersMax = 100;

/**
 * The backups of one database on one machine, one after another. It ends when the database is replaced, by a restore or
 * when a standby is promoted: the next backup begins another one.
 */
export interface Lineage {
  id: string;
  /** Id of its first backup. */
  since: string;
}

/** A backup that another appliance made, although this one was running already. */
export interface ForeignBackup {
  id: string;
  host: string;
}

/**
 * Returns the newest backup in a repository if another appliance made it. One that is older than the own lineage is of
 * the past: after a restore on new hardware, the former machine has made it.
 * @param last id of the last own backup; null: not known
 */
export function foreignBackup(
  newest: BackupManifest | undefined,
  { lineage, last, host }: { lineage: Lineage | null; last: string | null; host: string },
): ForeignBackup | null {
  if (newest?.lineage === undefined || lineage === null) return null;
  const isForeign =
    newest.lineage === lineage.id
      ? // A copy of the database that was started on another machine.
        newest.host !== host && last !== null && compareIds(newest.id, last) > 0
      : compareIds(newest.id, lineage.since) > 0;
  return isForeign ? { id: newest.id, host: hostOf(newest) } : null;
}

/** Returns the name of the machine that made a backup. */
export function hostOf({ host = "" }: BackupManifest): string {
  return visible(host, hostCharactersMax);
}

/** Backups of another appliance that may still run are kept for this long. */
const foreignMs = 30 * dayMs;

/**
 * Deletes all own backups but the newest, and then the chunks that no backup names. Those that another appliance made since
 * the own lineage began are kept for 30 days: it deletes its own. The caller holds the lock, so that no
 * backup is being made. If a remaining backup cannot be read, no chunk is deleted, and if the store does not list the
 * backup that was just made, nothing is: its list is not of now.
 * @param keep number of own backups to keep
 * @param newest id of the backup that was just made
 * @returns number of backups that are left
 * @throws StoreError
 */
export async function rotate(
  repository: Repository,
  { keep, newest, lineage, now }: { keep: number; newest: string; lineage: Lineage; now: Instant },
): Promise<number> {
  const ids = await repository.ids();
  if (ids.at(-1) !== newest)
    throw new StoreError(
      "unexpected",
      `${repository.store.name}: its list of backups does not end with ${newest}, which was just made; no backups were deleted`,
    );
  if (ids.length <= keep) return ids.length;
  const oldest = newBackupId(now - foreignMs, undefined);
  const isForeign = async (id: string) =>
    compareIds(id, lineage.since) > 0 &&
    compareIds(id, oldest) > 0 &&
    ((await findUndamaged(repository, id))?.lineage ?? lineage.id) !== lineage.id;
  const own: string[] = [];
  for (const id of ids) if (!(await isForeign(id))) own.push(id);
  const removed = new Set(own.slice(0, Math.max(0, own.length - keep)));
  for (const id of removed) await repository.remove(id);
  const kept = ids.filter((id) => !removed.has(id));
  if (removed.size > 0) await removeUnusedChunks(repository, kept);
  return kept.length;
}

/** Also removes the chunks of backups that were interrupted. @throws StoreError */
async function removeUnusedChunks({ store, find }: Repository, ids: readonly string[]): Promise<void> {
  const used = new Set<string>();
  const listsSeen = new Set<string>();
  for (const id of ids) {
    const manifest = await find(id);
    if (manifest === undefined)
      throw new StoreError("damaged", `${store.name}: the backup ${id} is in its list, but is missing`);
    for (const name of manifest.list) used.add(name);
    // Most parts of the lists are the same in all backups.
    const list = manifest.list.filter((name) => !listsSeen.has(name));
    for await (const entry of readFileList(store, { id, list }))
      for (const name of chunksOf(entry)) used.add(name);
    for (const name of list) listsSeen.add(name);
  }
  const unused: string[] = [];
  for await (const { key } of store.list(chunkPrefix))
    if (!used.has(key.slice(key.lastIndexOf("/") + 1))) unused.push(key);
  for (const key of unused) await store.delete(key);
}
