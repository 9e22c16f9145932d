import type { Clock } from "../../../platform/lib/clock.ts";
import type { Log } from "../../../platform/lib/log.ts";
import { grouped } from "../../../platform/lib/wording.ts";
import { inspectionPriorities, type InspectionPriority } from "../../../platform/vocabulary/inspections.ts";
import type { Inspection } from "../model/inspection.ts";
import type { InspectionStore } from "../store/inspection-store.ts";

/** Two days of the default budget. Beyond it, the oldest addresses of feeds are dropped. */
const waitingMax = 200_000;
/** One address is inspected per host and hour, so that more of them would wait for half a day. */
const waitingOfHostMax = 10;
/** Time for which a count of the waiting addresses is used. */
const countAgeMs = 2_000;

/** Limits how many addresses wait. */
export function createWaitingPlaces({
  clock,
  log,
  store,
}: {
  clock: Pick<Clock, "now" | "monotonicMs">;
  log: Log;
  store: InspectionStore;
}) {
  const waiting = createWaitingCount({ clock, store });
  const drops = createDropReport({ clock, log });
  return {
    /** Takes a place for an address whose host has these inspections. Returns why there is none: a phrase that follows it. */
    take(ofHost: readonly Inspection[], priority: InspectionPriority): string | undefined {
      if (waitingBefore(ofHost, priority) >= waitingOfHostMax)
        return `is not inspected: ${waitingOfHostMax} addresses of its host wait already`;
      if (waiting.count() < waitingMax) {
        waiting.add();
        return undefined;
      }
      if (!store.dropOldest(clock.now(), "dropped: too many addresses wait"))
        return `is not inspected: ${grouped(waitingMax)} addresses wait already`;
      store.add(clock.now(), "dropped", 1);
      drops.add();
      return undefined;
    },
  };
}

/** Returns how many wait, without those of a lower priority: a list must not close a host to people. */
function waitingBefore(inspections: readonly Inspection[], priority: InspectionPriority): number {
  const rank = inspectionPriorities.indexOf(priority);
  return inspections.filter(
    (one) => one.state === "queued" && inspectionPriorities.indexOf(one.priority) <= rank,
  ).length;
}

/** Counts the addresses that wait, without a query for each request. */
function createWaitingCount({
  clock,
  store,
}: {
  clock: Pick<Clock, "monotonicMs">;
  store: Pick<InspectionStore, "waiting">;
}) {
  let known = 0;
  let knownAtMs = -Infinity;
  return {
    count(): number {
      if (clock.monotonicMs() - knownAtMs >= countAgeMs) {
        const { person, submission, feed } = store.waiting();
        known = person + submission + feed;
        knownAtMs = clock.monotonicMs();
      }
      return known;
    },
    add: () => void (known += 1),
  };
}

const dropReportMs = 3_600_000;

/** Logs how many addresses were dropped, at most once an hour. */
function createDropReport({ clock, log }: { clock: Pick<Clock, "monotonicMs">; log: Log }) {
  let count = 0;
  let reportedAtMs = -Infinity;
  return {
    add(): void {
      count += 1;
      if (clock.monotonicMs() - reportedAtMs < dropReportMs) return;
      log.event("inspection.addresses_dropped", { count });
      reportedAtMs = clock.monotonicMs();
      count = 0;
    },
  };
}
