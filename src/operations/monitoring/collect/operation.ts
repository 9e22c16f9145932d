import type { Clock, Instant } from "../../../platform/lib/clock.ts";
import type { ReloadOutcome } from "../../../platform/reload/reload.ts";
import { metrics, single, type Collector } from "../metrics/metrics.ts";

/** Numbers of backups. */
export interface BackupNumbers {
  /** Null: no scheduled backups. */
  schedule: string | null;
  completed: { at: Instant; bytes: number } | null;
  /** Since when a scheduled backup has been missing; null: none is. */
  overdueSince: Instant | null;
  failuresTotal: number;
}

/** Collects backups. */
export function backupCollector(backups: { status(): BackupNumbers }, clock: Pick<Clock, "now">): Collector {
  return () => {
    const { schedule, completed, overdueSince, failuresTotal } = backups.status();
    const isScheduled = schedule !== null;
    const overdueMs = overdueSince === null ? 0 : Math.max(0, clock.now() - overdueSince);
    return [
      single(metrics.backupLastSuccess, completed === null ? (isScheduled ? 0 : null) : completed.at / 1000),
      single(metrics.backupBytes, completed?.bytes),
      single(metrics.backupFailures, failuresTotal),
      single(metrics.backupOverdue, isScheduled ? overdueMs / 1000 : null),
    ];
  };
}

/** Collects reloads of the configuration file. */
export function reloadCollector(lastReload: () => ReloadOutcome | undefined): Collector {
  return () => {
    const last = lastReload();
    return [
      single(metrics.reloadLastSuccess, last === undefined ? null : last.result === "failed" ? 0 : 1),
      single(metrics.reloadLastTime, last === undefined ? null : last.endedAt / 1000),
      single(metrics.restartKeys, last?.restart.length ?? 0),
    ];
  };
}
