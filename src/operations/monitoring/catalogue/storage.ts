import { counter, gauge } from "../model/metric.ts";

/** Metrics of the database, the disk and backups. */
export const storageMetrics = {
  databaseOk: gauge({
    name: "phishwatch_database_ok",
    help: "0 while the database has a problem that /readyz describes, else 1.",
  }),
  databaseErrors: counter({
    name: "phishwatch_database_errors_total",
    help: "Errors of SQLite that concern the file or its disk, by code.",
    labels: ["code"],
  }),
  quickCheckOk: gauge({
    name: "phishwatch_database_quick_check_ok",
    help: "1 if the last check of all pages and indexes of the database found nothing, else 0. Missing before the first one.",
  }),
  quickCheckTime: gauge({
    name: "phishwatch_database_quick_check_timestamp_seconds",
    help: "Start of the last complete check of the database. Missing before the first one.",
  }),
  databaseBytes: gauge({
    name: "phishwatch_database_bytes",
    help: "Size of the database, by file: the database itself, and its write-ahead log.",
    labels: ["file"],
  }),
  screenshotBytes: gauge({
    name: "phishwatch_screenshots_bytes",
    help: "Size of the folder of screenshots. Measured once an hour.",
  }),
  diskFree: gauge({ name: "phishwatch_disk_free_bytes", help: "Free space on the disk of the database." }),
  writesWaiting: gauge({
    name: "phishwatch_database_writes_waiting",
    help: "Writes that wait for a commit.",
  }),
  writes: counter({
    name: "phishwatch_database_writes_total",
    help: "Writes that were committed or rejected.",
  }),
  writeWait: counter({
    name: "phishwatch_database_write_wait_seconds_total",
    help: "Time that these writes waited, added up.",
  }),
  locked: gauge({
    name: "phishwatch_database_locked_seconds",
    help: "Time for which another process has held the write lock so that writes fail; 0 if none does.",
  }),
};
