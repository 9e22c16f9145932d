import { counter, gauge } from "../model/metric.ts";

const source = ["kind", "source"] as const;
const log = ["log", "operator"] as const;

/** Metrics of the origins of names, and of the archive. */
export const sourceMetrics = {
  names: counter({
    name: "phishwatch_source_names_total",
    help: "Names that arrived, by source.",
    labels: source,
  }),
  invalidNames: counter({
    name: "phishwatch_source_invalid_names_total",
    help: "Names that were invalid, by source.",
    labels: source,
  }),
  matchedNames: counter({
    name: "phishwatch_source_matched_names_total",
    help: "Names that matched a protected domain, by source.",
    labels: source,
  }),
  sourceThreats: counter({
    name: "phishwatch_source_threats_total",
    help: "New threats, by source.",
    labels: source,
  }),
  lastName: gauge({
    name: "phishwatch_source_last_name_timestamp_seconds",
    help: "Time at which names last arrived, by source.",
    labels: source,
  }),
  sourceOk: gauge({
    name: "phishwatch_source_ok",
    help: "0 while a declared source has a problem or is paused, else 1.",
    labels: source,
  }),
  sourceState: gauge({
    name: "phishwatch_source_state",
    help: "Always 1; the labels give the state of a declared source (waiting, watching, reading, unavailable, paused).",
    labels: [...source, "state"],
  }),
  sourceOverdue: gauge({
    name: "phishwatch_source_overdue_seconds",
    help: "Time since the last arrival if it is much longer than usual, else 0.",
    labels: source,
  }),
  sourceLastRead: gauge({
    name: "phishwatch_source_last_read_timestamp_seconds",
    help: "Time at which a part (file, batch) was last read to its end. Absent if a long silence is normal.",
    labels: source,
  }),
  sourceLatest: gauge({
    name: "phishwatch_source_latest_part_timestamp_seconds",
    help: "Time at which the newest part (file, batch) arrived.",
    labels: source,
  }),
  sourceAmounts: gauge({
    name: "phishwatch_source_read",
    help: "Amounts that were read and are on record, by unit, such as file or line.",
    labels: [...source, "unit"],
  }),
  logEntries: counter({
    name: "phishwatch_certificate_log_entries_total",
    help: "Entries that were read.",
    labels: log,
  }),
  logNames: counter({
    name: "phishwatch_certificate_log_names_total",
    help: "Names in these entries.",
    labels: log,
  }),
  logBytes: counter({
    name: "phishwatch_certificate_log_bytes_total",
    help: "Bytes of the responses with entries, as transferred.",
    labels: log,
  }),
  logSkipped: counter({
    name: "phishwatch_certificate_log_skipped_total",
    help: "Entries that were older than certificate_logs.catch_up.",
    labels: log,
  }),
  logMalformed: counter({
    name: "phishwatch_certificate_log_malformed_total",
    help: "Entries that could not be parsed completely.",
    labels: log,
  }),
  logErrors: counter({
    name: "phishwatch_certificate_log_errors_total",
    help: "Failed attempts to read the log.",
    labels: log,
  }),
  logPosition: gauge({
    name: "phishwatch_certificate_log_position",
    help: "Index of the next entry.",
    labels: log,
  }),
  logLagEntries: gauge({
    name: "phishwatch_certificate_log_lag_entries",
    help: "Published entries that are not read yet.",
    labels: log,
  }),
  logLag: gauge({
    name: "phishwatch_certificate_log_lag_seconds",
    help: "Time since everything was read; 0 if it is.",
    labels: log,
  }),
  logOk: gauge({
    name: "phishwatch_certificate_log_ok",
    help: "0 while the log cannot be read or contradicts itself, else 1.",
    labels: log,
  }),
  archiveNames: gauge({
    name: "phishwatch_archive_names",
    help: "Names in the archive after its latest maintenance.",
  }),
  archiveBytes: gauge({
    name: "phishwatch_archive_bytes",
    help: "Size of the archive on disk after its latest maintenance.",
  }),
  archiveOldestDay: gauge({
    name: "phishwatch_archive_oldest_day_timestamp_seconds",
    help: "Start of the oldest day in the archive.",
  }),
  archiveOk: gauge({
    name: "phishwatch_archive_ok",
    help: "0 while names cannot be stored or were lost, else 1.",
  }),
  archiveChecks: gauge({
    name: "phishwatch_archive_checks",
    help: "Protected domains by the state of the check of the names seen before.",
    labels: ["state"],
  }),
};
