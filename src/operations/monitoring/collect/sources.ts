import type { Archive } from "../../../engines/archive/archive.ts";
import type { ActivityCounts, ActivityTotal } from "../../../intake/sources/activity/source-activity.ts";
import {
  archiveCheckStates,
  type ArchiveCheckStatus,
} from "../../../intake/sources/archive-checks/archive-checks.ts";
import type { CertificateLogStatus } from "../../../intake/sources/certificate-logs/status.ts";
import { needsAttention, type Source, type SourceStatus } from "../../../intake/sources/source.ts";
import {
  collected,
  createIncreasing,
  metrics,
  single,
  type Collected,
  type Collector,
  type Metric,
} from "../metrics/metrics.ts";

export interface SourceNumbers {
  /** Counts by origin of names, sources or not. */
  totals: readonly ActivityTotal[];
  sources: readonly Pick<Source, "kind" | "name" | "declaredAs" | "status">[];
  archive: Archive;
  /** Absent: certificate logs are not followed. */
  certificateLogs?: { logs(): readonly CertificateLogStatus[] } | undefined;
  /** Checks of protected domains against the names seen before. */
  archiveChecks: () => readonly Pick<ArchiveCheckStatus, "state">[];
}

/** Collects what arrives from the origins of names. */
export function sourceCollector(numbers: () => SourceNumbers): Collector {
  const increasing = createIncreasing();
  return () => {
    const { totals, sources, archive, archiveChecks, certificateLogs } = numbers();
    // Totals are stored; one decreases when something is taken back.
    const counted = (metric: Metric<"kind" | "source">, key: keyof ActivityCounts) =>
      collected(
        metric,
        totals.map(({ kind, name: source, [key]: count }) => {
          return [{ kind, source }, increasing(JSON.stringify([key, kind, source]), count)] as const;
        }),
      );
    const watched = sources
      .filter(({ declaredAs }) => declaredAs !== null)
      .map(({ kind, name: source, status }) => ({ labels: { kind, source }, status: status() }));
    const watchedTime = (metric: Metric<"kind" | "source">, at: (status: SourceStatus) => number | null) =>
      collected(
        metric,
        watched.flatMap(({ labels, status }) => {
          const time = at(status);
          return time === null ? [] : [[labels, time / 1000] as const];
        }),
      );
    return [
      counted(metrics.names, "names"),
      counted(metrics.invalidNames, "invalid"),
      counted(metrics.matchedNames, "matched"),
      counted(metrics.sourceThreats, "created"),
      collected(
        metrics.lastName,
        totals.map(({ kind, name: source, lastAt }) => [{ kind, source }, lastAt / 1000] as const),
      ),
      collected(
        metrics.sourceOk,
        watched.map(({ labels, status }) => [labels, needsAttention(status) ? 0 : 1] as const),
      ),
      collected(
        metrics.sourceState,
        watched.map(({ labels, status: { state } }) => [{ ...labels, state }, 1] as const),
      ),
      watchedTime(metrics.sourceOverdue, ({ overdue }) => overdue?.sinceMs ?? 0),
      watchedTime(metrics.sourceLastRead, ({ lastReadAt }) => lastReadAt),
      watchedTime(metrics.sourceLatest, ({ latest }) => latest?.at ?? null),
      collected(
        metrics.sourceAmounts,
        watched.flatMap(({ labels, status: { amounts } }) =>
          amounts.map(({ count, unit }) => [{ ...labels, unit }, count] as const),
        ),
      ),
      ...certificateLogSamples(certificateLogs?.logs() ?? [], increasing),
      ...archiveSamples(archive.status(), archiveChecks()),
    ];
  };
}

function certificateLogSamples(
  logs: readonly CertificateLogStatus[],
  increasing: ReturnType<typeof createIncreasing>,
): Collected[] {
  const of = (
    metric: Metric<"log" | "operator">,
    valueOf: (log: CertificateLogStatus) => number | null,
  ): Collected =>
    collected(
      metric,
      logs.flatMap((one) => {
        const { description: log, operator } = one;
        const value = valueOf(one);
        if (value === null) return [];
        const key = JSON.stringify([metric.name, log, operator]);
        return [[{ log, operator }, metric.type === "counter" ? increasing(key, value) : value] as const];
      }),
    );
  return [
    of(metrics.logEntries, ({ entries }) => entries),
    of(metrics.logNames, ({ names }) => names),
    of(metrics.logBytes, ({ bytes }) => bytes),
    of(metrics.logSkipped, ({ skipped }) => skipped),
    of(metrics.logMalformed, ({ malformed }) => malformed),
    of(metrics.logErrors, ({ errors }) => errors),
    of(metrics.logPosition, ({ position }) => position),
    of(metrics.logLagEntries, ({ lagEntries }) => lagEntries),
    of(metrics.logLag, ({ lagMs }) => lagMs / 1_000),
    of(metrics.logOk, ({ state }) => (state === "failing" || state === "mismatch" ? 0 : 1)),
  ];
}

/** Returns no metrics if names are not archived. */
function archiveSamples(
  { enabled, names, bytes, oldestDay, problem }: ReturnType<Archive["status"]>,
  checks: readonly Pick<ArchiveCheckStatus, "state">[],
): Collected[] {
  if (!enabled) return [];
  return [
    single(metrics.archiveNames, names),
    single(metrics.archiveBytes, bytes),
    single(metrics.archiveOldestDay, oldestDay === null ? null : oldestDay / 1000),
    single(metrics.archiveOk, problem === null ? 1 : 0),
    collected(
      metrics.archiveChecks,
      archiveCheckStates.map((state) => {
        return [{ state }, checks.filter((check) => check.state === state).length] as const;
      }),
    ),
  ];
}
