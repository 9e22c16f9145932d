import type { Archive } from "../../../engines/archive/archive.ts";
import type { ActivityCounts } from "../../../intake/sources/activity/source-activity.ts";
import {
  archiveCheckStates,
  type ArchiveCheckStatus,
} from "../../../intake/sources/archive-checks/archive-checks.ts";
import type { CertificateLogStatus } from "../../../intake/sources/certificate-logs/status.ts";
import { needsAttention, type SourceStatus } from "../../../intake/sources/source.ts";
import { createIncreasing, metrics, type Collector, type Readings } from "../metrics/metrics.ts";
import type { Monitored } from "./services.ts";

/** Collects what arrives from the origins of names. */
export function sourceCollector({ names }: Monitored<"names">): Collector {
  const increasing = createIncreasing();
  return () => {
    const { totals, sources, archive, archiveChecks, certificateLogs } = names.metrics();
    // Totals are stored; one decreases when something is taken back.
    const counted = (key: keyof ActivityCounts) =>
      totals.map(
        ({ kind, name: source, [key]: count }) =>
          [{ kind, source }, increasing(JSON.stringify([key, kind, source]), count)] as const,
      );
    const watched = sources
      .filter(({ declaredAs }) => declaredAs !== null)
      .map(({ kind, name: source, status }) => ({ labels: { kind, source }, status: status() }));
    const watchedTime = (at: (status: SourceStatus) => number | null) =>
      watched.flatMap(({ labels, status }) => {
        const time = at(status);
        return time === null ? [] : [[labels, time / 1000] as const];
      });
    return {
      names: counted("names"),
      invalidNames: counted("invalid"),
      matchedNames: counted("matched"),
      sourceThreats: counted("created"),
      lastName: totals.map(({ kind, name: source, lastAt }) => [{ kind, source }, lastAt / 1000]),
      sourceOk: watched.map(({ labels, status }) => [labels, needsAttention(status) ? 0 : 1]),
      sourceState: watched.map(({ labels, status: { state } }) => [{ ...labels, state }, 1]),
      sourceOverdue: watchedTime(({ overdue }) => overdue?.sinceMs ?? 0),
      sourceLastRead: watchedTime(({ lastReadAt }) => lastReadAt),
      sourceLatest: watchedTime(({ latest }) => latest?.at ?? null),
      sourceAmounts: watched.flatMap(({ labels, status: { amounts } }) =>
        amounts.map(({ count, unit }) => [{ ...labels, unit }, count] as const),
      ),
      ...certificateLogSamples(certificateLogs?.logs() ?? [], increasing),
      ...archiveSamples(archive.status(), archiveChecks()),
    };
  };
}

const certificateLogValues = {
  logEntries: ({ entries }) => entries,
  logNames: ({ names }) => names,
  logBytes: ({ bytes }) => bytes,
  logSkipped: ({ skipped }) => skipped,
  logMalformed: ({ malformed }) => malformed,
  logErrors: ({ errors }) => errors,
  logPosition: ({ position }) => position,
  logLagEntries: ({ lagEntries }) => lagEntries,
  logLag: ({ lagMs }) => lagMs / 1_000,
  logOk: ({ state }) => (state === "failing" || state === "mismatch" ? 0 : 1),
} satisfies Partial<Record<keyof Readings, (log: CertificateLogStatus) => number | null>>;

function certificateLogSamples(
  logs: readonly CertificateLogStatus[],
  increasing: ReturnType<typeof createIncreasing>,
): Readings {
  const readings = Object.entries(certificateLogValues).map(([name, valueOf]) => {
    const isCounter = metrics[name as keyof typeof certificateLogValues].type === "counter";
    const samples = logs.flatMap((one) => {
      const { description: log, operator } = one;
      const value = valueOf(one);
      if (value === null) return [];
      const key = JSON.stringify([name, log, operator]);
      return [[{ log, operator }, isCounter ? increasing(key, value) : value] as const];
    });
    return [name, samples] as const;
  });
  return Object.fromEntries(readings);
}

/** Returns no metrics if names are not archived. */
function archiveSamples(
  { enabled, names, bytes, oldestDay, problem }: ReturnType<Archive["status"]>,
  checks: readonly Pick<ArchiveCheckStatus, "state">[],
): Readings {
  if (!enabled) return {};
  return {
    archiveNames: names,
    archiveBytes: bytes,
    archiveOldestDay: oldestDay === null ? null : oldestDay / 1000,
    archiveOk: problem === null ? 1 : 0,
    archiveChecks: archiveCheckStates.map((state) => [
      { state },
      checks.filter((check) => check.state === state).length,
    ]),
  };
}
