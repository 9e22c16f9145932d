import { counter, gauge } from "../model/metric.ts";

/** Metrics of backups and of reloads of the configuration. */
export const operationMetrics = {
  backupLastSuccess: gauge({
    name: "phishwatch_backup_last_success_timestamp_seconds",
    help: "Time at which the last backup was completed; 0 before the first one. Absent without scheduled backups.",
  }),
  backupBytes: gauge({ name: "phishwatch_backup_last_bytes", help: "Size of the last completed backup." }),
  backupFailures: counter({ name: "phishwatch_backup_failures_total", help: "Backups that failed." }),
  backupOverdue: gauge({
    name: "phishwatch_backup_overdue_seconds",
    help: "Time since a scheduled backup should have been made, else 0. Absent without scheduled backups.",
  }),
  reloadLastSuccess: gauge({
    name: "phishwatch_reload_last_success",
    help: "1 if the last reload of the configuration file was applied or changed nothing, 0 if it failed. Absent before the first one.",
  }),
  reloadLastTime: gauge({
    name: "phishwatch_reload_last_timestamp_seconds",
    help: "Time of the last reload of the configuration file.",
  }),
  restartKeys: gauge({
    name: "phishwatch_reload_restart_keys",
    help: "Keys of the configuration file whose new value takes effect at the next start.",
  }),
};
