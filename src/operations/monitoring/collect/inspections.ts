import type { Inspections } from "../../../facts/inspection/inspections.ts";
import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import type { Originals } from "../../../facts/inspection/originals/open-originals.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import { inspectionPriorities } from "../../../platform/vocabulary/inspections.ts";
import { collected, createIncreasing, metrics, single, type Collector } from "../metrics/metrics.ts";

const outcomes = ["imitation", "harmless", "failed", "skipped"] as const;

/** Collects the original pages, with which inspected pages are compared. */
export function originalCollector(
  originals: Pick<Originals, "summaries">,
  domains: Pick<ProtectedDomains, "list">,
): Collector {
  return () => {
    const summaries = originals.summaries();
    const stateOf = ({ capturedAt, problem }: (typeof summaries)[number]) =>
      problem !== null ? "failing" : capturedAt === null ? "waiting" : "captured";
    const captured = new Set(
      summaries.filter(({ capturedAt }) => capturedAt !== null).map(({ domain }) => domain),
    );
    const lacking = domains.list().filter(({ domain, enabled }) => enabled && !captured.has(domain));
    return [
      collected(
        metrics.originals,
        (["captured", "failing", "waiting"] as const).map(
          (state) => [{ state }, summaries.filter((one) => stateOf(one) === state).length] as const,
        ),
      ),
      single(metrics.domainsWithoutOriginal, lacking.length),
    ];
  };
}

/** Collects the inspection of pages. */
export function inspectionCollector(
  inspections: Pick<Inspections, "status">,
  clock: Pick<Clock, "now">,
): Collector {
  // The counts are stored, and a restored backup has smaller ones.
  const increasing = createIncreasing();
  return () => {
    const { budget, oldestAt, running, totals, waiting } = inspections.status();
    return [
      collected(
        metrics.inspectionsWaiting,
        inspectionPriorities.map((priority) => [{ priority }, waiting[priority]] as const),
      ),
      single(
        metrics.inspectionOldestWaiting,
        oldestAt === null ? 0 : Math.max(0, clock.now() - oldestAt) / 1_000,
      ),
      single(metrics.inspectionsRunning, running),
      collected(
        metrics.inspections,
        outcomes.map((outcome) => [{ outcome }, increasing(outcome, totals[outcome])] as const),
      ),
      single(metrics.inspectionsStarted, increasing("started", totals.started)),
      single(metrics.inspectionDuration, increasing("duration", totals.durationMs) / 1_000),
      single(metrics.inspectionsDropped, increasing("dropped", totals.dropped)),
      single(metrics.inspectionsToday, budget.day.used),
      single(metrics.inspectionsPerDay, budget.day.max),
    ];
  };
}
