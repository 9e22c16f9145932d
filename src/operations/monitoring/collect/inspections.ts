import { inspectionPriorities } from "../../../platform/vocabulary/inspections.ts";
import { createIncreasing, type Collector } from "../metrics/metrics.ts";
import type { Monitored } from "./services.ts";

const outcomes = ["imitation", "harmless", "failed", "skipped"] as const;

/** Collects the original pages, with which inspected pages are compared. */
export function originalCollector({
  domains,
  inspection: { originals },
}: Monitored<"domains" | "inspection">): Collector {
  return () => {
    const summaries = originals.summaries();
    const stateOf = ({ capturedAt, problem }: (typeof summaries)[number]) =>
      problem !== null ? "failing" : capturedAt === null ? "waiting" : "captured";
    const captured = new Set(
      summaries.filter(({ capturedAt }) => capturedAt !== null).map(({ domain }) => domain),
    );
    const lacking = domains.list().filter(({ domain, enabled }) => enabled && !captured.has(domain));
    return {
      originals: ["captured", "failing", "waiting"].map((state) => [
        { state },
        summaries.filter((one) => stateOf(one) === state).length,
      ]),
      domainsWithoutOriginal: lacking.length,
    };
  };
}

/** Collects the inspection of pages. */
export function inspectionCollector({
  clock,
  inspection: { inspections },
}: Monitored<"clock" | "inspection">): Collector {
  // The counts are stored, and a restored backup has smaller ones.
  const increasing = createIncreasing();
  return () => {
    const { budget, oldestAt, running, totals, waiting } = inspections.status();
    return {
      inspectionsWaiting: inspectionPriorities.map((priority) => [{ priority }, waiting[priority]]),
      inspectionOldestWaiting: oldestAt === null ? 0 : Math.max(0, clock.now() - oldestAt) / 1_000,
      inspectionsRunning: running,
      inspections: outcomes.map((outcome) => [{ outcome }, increasing(outcome, totals[outcome])]),
      inspectionsStarted: increasing("started", totals.started),
      inspectionDuration: increasing("duration", totals.durationMs) / 1_000,
      inspectionsDropped: increasing("dropped", totals.dropped),
      inspectionsToday: budget.day.used,
      inspectionsPerDay: budget.day.max,
    };
  };
}
