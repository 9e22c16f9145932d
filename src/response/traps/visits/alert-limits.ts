import { BoundedMap } from "../../../platform/lib/bounded-map.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import type { Log } from "../../../platform/lib/log.ts";
import type { VisitStore } from "./store.ts";

/**
 * Limits how many alerts one trap may raise: anyone who knows its address can forge any number of visits.
 */
export type AlertLimits = ReturnType<typeof createAlertLimits>;

/** Limits for one trap. Visits beyond them are recorded and raise no alert. */
export interface AlertLimitSettings {
  eventsPerHour: number;
  hostsPerHour: number;
}

const hourMs = 3_600_000;
/** Keeps one forger from using up what visitors of a real copy need. */
const hostsPerNetwork = (hostsPerHour: number) => Math.max(5, Math.ceil(hostsPerHour / 6));
/** How long a count is reused: counting scans an hour of rows. */
const countReusedMs = 1_000;
const countersMax = 20_000;

export function createAlertLimits({
  clock,
  log,
  settings,
  visits,
}: {
  clock: Pick<Clock, "now" | "monotonicMs">;
  log: Log;
  settings: AlertLimitSettings;
  visits: Pick<VisitStore, "threatsBetween" | "hasThreat">;
}) {
  const recent = new Map<string, { threats: Set<string>; countedAtMs: number }>();
  const threatsByNetwork = createCounters();
  const reports = createCounters();
  const rejections = createCounters();

  function threatsOf(trapId: string): Set<string> {
    const nowMs = clock.monotonicMs();
    const known = recent.get(trapId);
    if (known !== undefined && nowMs < known.countedAtMs + countReusedMs) return known.threats;
    if (recent.size >= countersMax) recent.clear();
    const threats = new Set(visits.threatsBetween(trapId, clock.now() - hourMs, clock.now()));
    recent.set(trapId, { threats, countedAtMs: nowMs });
    return threats;
  }

  return {
    /** Whether a visit on this host may record a threat. A host that already led to one always may. */
    mayRecordThreat(trapId: string, host: string, network: string) {
      const nowMs = clock.monotonicMs();
      const { hostsPerHour } = settings;
      const ofNetwork = threatsByNetwork.count(`${trapId} ${network}`, nowMs);
      if (threatsOf(trapId).size < hostsPerHour && ofNetwork < hostsPerNetwork(hostsPerHour)) return true;
      if (visits.hasThreat(trapId, host)) return true;
      // A flood may be meant to hide a real copy.
      if (rejections.count(trapId, nowMs) === 0)
        log.event("trap.host_limit_reached", { trap: trapId, hostsPerHour });
      rejections.add(trapId, nowMs);
      return false;
    },
    countThreat(trapId: string, threatId: string, network: string) {
      const threats = threatsOf(trapId);
      if (threats.has(threatId)) return;
      threats.add(threatId);
      threatsByNetwork.add(`${trapId} ${network}`, clock.monotonicMs());
    },
    /** Whether the trap may send another event this hour. The event of a new threat is sent in any case. */
    mayReport: (trapId: string) => reports.count(trapId, clock.monotonicMs()) < settings.eventsPerHour,
    countReport({ id, name }: { id: string; name: string }) {
      const { eventsPerHour } = settings;
      reports.add(id, clock.monotonicMs());
      if (reports.count(id, clock.monotonicMs()) === eventsPerHour)
        log.event("trap.event_limit_reached", { trap: id, name, eventsPerHour });
    },
  };
}

/** Counts occurrences by key in the current hour, which begins with the first one. */
function createCounters() {
  const counters = new BoundedMap<string, { n: number; sinceMs: number }>(countersMax);
  return {
    count(key: string, nowMs: number): number {
      const counter = counters.get(key);
      return counter === undefined || nowMs >= counter.sinceMs + hourMs ? 0 : counter.n;
    },
    add(key: string, nowMs: number): void {
      const n = this.count(key, nowMs);
      if (n > 0) counters.get(key)!.n = n + 1;
      else counters.set(key, { n: 1, sinceMs: nowMs });
    },
  };
}
