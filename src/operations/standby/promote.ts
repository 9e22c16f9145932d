import { constants } from "node:fs";
import { copyFile, link, mkdir, readdir, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { BackupManifest } from "../backups/repository/format.ts";
import { findLockOwner } from "../backups/repository/lock.ts";
import { replaceFiles } from "../backups/restoring/restore-backup.ts";
import type { ApplianceFiles } from "../../platform/database/files/pending-restore.ts";
import { type Clock, type Instant, toPlainTime } from "../../platform/lib/clock.ts";
import { messageOf, StartError } from "../../platform/lib/errors.ts";
import { fetchNewest, type FollowOptions } from "./follow.ts";
import { newestState, type StandbyState } from "./standby-folder.ts";
import { nextTime } from "../../platform/lib/schedule.ts";
import type { Needs } from "../backups/repository/needs.ts";

/** An appliance that was made of a standby. */
export interface Promotion {
  manifest: BackupManifest;
  /** Names under which the previous files of this machine were kept. */
  keptAs: string[];
  /** Why the newest backup could not be fetched; undefined: the newest one is used. */
  notFetched: string | undefined;
}

interface PromoteOptions extends FollowOptions {
  /** Schedule of the backups; null: none. */
  schedule: string | null;
  clock: Pick<Clock, "now">;
}

/**
 * Makes the newest state the database, the screenshots and the archive of an appliance, after fetching what is newer.
 * The caller holds the locks for serving and for following. If the process is killed, either nothing has changed, or
 * the next start completes the promotion.
 * @param force also without the newest backup, and while the primary may still run
 * @throws StartError with a message for the operator; then nothing has changed
 */
export async function promote({
  databasePath,
  force,
  by,
  ...options
}: PromoteOptions & Needs<"by" | "databasePath"> & { force: boolean }): Promise<Promotion> {
  const { clock, standby } = options;
  let notFetched: string | undefined;
  try {
    await fetchNewest(options);
  } catch (error) {
    notFetched = messageOf(error);
    if (!force)
      throw new StartError(
        `the newest backup cannot be fetched: ${notFetched}; with --force, the state that the standby has is used`,
      );
  }
  const state = await newestState(standby);
  if (state === undefined) throw new StartError(`the standby has no complete backup in ${standby}`);
  if (!force) await requireStoppedPrimary(state, options);
  const { manifest } = state;
  const keptAs = await replaceFiles({ manifest, databasePath, by, at: clock.now() }, (files) =>
    stageState(state, files),
  );
  // A later standby on this machine begins with an empty folder: the appliance changes files that both have.
  await rm(standby, { recursive: true, force: true });
  return { manifest, keptAs, notFetched };
}

async function requireStoppedPrimary(
  { manifest }: StandbyState,
  { clock, openRepository, schedule }: PromoteOptions,
): Promise<void> {
  const { store } = await openRepository();
  const makingBackup = (await findLockOwner(store, clock)) !== undefined;
  const reason = mayStillRun({ manifest, schedule, makingBackup, now: clock.now() });
  if (reason === undefined) return;
  throw new StartError(
    `the primary may still run: ${reason}; stop it, make sure that it does not start again, and repeat this with --force`,
  );
}

/** Adds second names for the files of a state. The database is copied, because it is changed. */
async function stageState({ folder }: StandbyState, files: ApplianceFiles): Promise<void> {
  for (const part of ["screenshots", "archive"] as const) {
    await mkdir(files[part], { mode: 0o700 });
    for (const name of await readdir(join(folder, part))) {
      const [source, target] = [join(folder, part, name), join(files[part], name)];
      await link(source, target).catch(() => copyWithTime(source, target));
    }
  }
  await copyFile(join(folder, "database"), files.database, constants.COPYFILE_FICLONE);
}

/** The next backup recognizes an unchanged file by its time. */
async function copyWithTime(source: string, target: string): Promise<void> {
  await copyFile(source, target);
  const { atime, mtime } = await stat(source);
  await utimes(target, atime, mtime);
}

/** A backup may be this late: the clocks of the machines differ, and a backup takes its time. */
const lateMsMin = 120_000;
/** The duration of the last backup, this many times. */
const durationFactor = 3;

/**
 * Returns why the primary may still run, or undefined if its next backup is overdue. Two appliances with the same
 * data would send the same events twice, and people would decide in both.
 * @param schedule of the backups; null: none
 * @param makingBackup whether a backup is being made
 */
export function mayStillRun({
  manifest: { beganAt, completedAt },
  schedule,
  makingBackup,
  now,
}: {
  manifest: Pick<BackupManifest, "beganAt" | "completedAt">;
  schedule: string | null;
  makingBackup: boolean;
  now: Instant;
}): string | undefined {
  if (makingBackup) return "it is making a backup now";
  if (schedule === null)
    return "backup.schedule is not set on this machine, so that nothing says when its next backup is due";
  const began = Date.parse(beganAt);
  const due = nextTime(schedule, began);
  if (due === null) return undefined;
  const lateMs = lateMsMin + durationFactor * Math.max(0, Date.parse(completedAt) - began);
  if (now > due + lateMs) return undefined;
  return `its last backup is of ${toPlainTime(began)}, and the next one is not overdue before ${toPlainTime(due + lateMs)}`;
}
