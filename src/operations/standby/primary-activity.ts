import type { BackupManifest } from "../backups/repository/format.ts";
import { toPlainTime, type Instant } from "../../platform/lib/clock.ts";
import { nextTime } from "../../platform/lib/schedule.ts";

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
