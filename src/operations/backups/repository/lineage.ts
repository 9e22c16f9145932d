import { visible } from "../../../platform/lib/safe-text.ts";
import type { BackupManifest } from "./format.ts";
import { compareIds } from "./repository.ts";

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
      ? // A copy of the database that somebody started on another machine.
        newest.host !== host && last !== null && compareIds(newest.id, last) > 0
      : compareIds(newest.id, lineage.since) > 0;
  return isForeign ? { id: newest.id, host: hostOf(newest) } : null;
}

/** Returns the name of the machine that made a backup. */
export function hostOf({ host = "" }: BackupManifest): string {
  return visible(host, hostCharactersMax);
}
