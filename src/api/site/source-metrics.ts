import type { Archive, ArchiveStatus } from "../../archive/archive.ts";
import type { ActivityCounts, ActivityTotal } from "../../sources/activity/source-activity.ts";
import { archiveCheckStates, type ArchiveCheckStatus } from "../../sources/archive-checks/archive-checks.ts";
import { needsAttention, type Source } from "../../sources/source.ts";
import type { CertificateLogStatus } from "../../sources/certificate-logs/status.ts";
import { certificateLogFamilies } from "./log-metrics.ts";
import { family } from "./metric-text.ts";

export interface SourceMetrics {
  /** Counts by origin of names, sources or not. */
  totals: readonly ActivityTotal[];
  sources: readonly Pick<Source, "kind" | "name" | "declaredAs" | "status">[];
  archive: Archive;
  /** Absent: certificate logs are not followed. */
  certificateLogs?: { logs(): readonly CertificateLogStatus[] } | undefined;
  /** Checks of protected domains against the names seen before. */
  archiveChecks: () => readonly Pick<ArchiveCheckStatus, "state">[];
}

/** Returns the metrics of the origins of names. */
export function sourceFamilies({
  totals,
  sources,
  archive,
  archiveChecks,
  certificateLogs,
}: SourceMetrics): string[] {
  const counter = (name: string, help: string, key: keyof ActivityCounts) =>
    family(
      name,
      "counter",
      help,
      totals.map(({ kind, name: source, [key]: count }) => [{ kind, source }, count]),
    );
  const watched = sources
    .filter(({ declaredAs }) => declaredAs !== null)
    .map(({ kind, name: source, status }) => ({ labels: { kind, source }, status: status() }));
  return [
    counter("phishwatch_source_names_total", "Names that arrived, by source.", "names"),
    counter("phishwatch_source_invalid_names_total", "Names that were invalid, by source.", "invalid"),
    counter(
      "phishwatch_source_matched_names_total",
      "Names that matched a protected domain, by source.",
      "matched",
    ),
    counter("phishwatch_source_threats_total", "New threats, by source.", "created"),
    family(
      "phishwatch_source_last_name_seconds",
      "gauge",
      "Unix time at which names last arrived, by source.",
      totals.map(({ kind, name: source, lastAt }) => [{ kind, source }, lastAt / 1000]),
    ),
    family(
      "phishwatch_source_ok",
      "gauge",
      "0 while a declared source has a problem or is paused, else 1.",
      watched.map(({ labels, status }) => [labels, needsAttention(status) ? 0 : 1]),
    ),
    family(
      "phishwatch_source_state",
      "gauge",
      "Always 1; the labels give the state of a declared source (waiting, watching, reading, unavailable, paused).",
      watched.map(({ labels, status: { state } }) => [{ ...labels, state }, 1]),
    ),
    ...archiveFamilies(archive.status(), archiveChecks()),
    ...certificateLogFamilies(certificateLogs?.logs() ?? []),
  ];
}

/** Returns no metrics if names are not archived. */
function archiveFamilies(
  { enabled, names, bytes, oldestDay, problem }: ArchiveStatus,
  checks: ReturnType<SourceMetrics["archiveChecks"]>,
): string[] {
  if (!enabled) return [];
  const gauge = (name: string, help: string, value: number | null) =>
    family(name, "gauge", help, value === null ? [] : [[{}, value]]);
  return [
    gauge("phishwatch_archive_names", "Names in the archive after its latest maintenance.", names),
    gauge("phishwatch_archive_bytes", "Size of the archive on disk after its latest maintenance.", bytes),
    gauge(
      "phishwatch_archive_oldest_day_seconds",
      "Unix time of the start of the oldest day in the archive.",
      oldestDay === null ? null : oldestDay / 1000,
    ),
    gauge(
      "phishwatch_archive_ok",
      "0 while names cannot be stored or were lost, else 1.",
      problem === null ? 1 : 0,
    ),
    family(
      "phishwatch_archive_checks",
      "gauge",
      "Protected domains by the state of the check of the names seen before.",
      archiveCheckStates.map((state) => [{ state }, checks.filter((check) => check.state === state).length]),
    ),
  ];
}
