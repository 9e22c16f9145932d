import type { Clock, Instant } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { HitStore } from "./hits.ts";

/** How often a trap may raise its voice: whoever has its address can forge as many reports as they like. */
export interface AlarmBounds {
  /** Whether a visit to this host may make a threat: one that did before may, whatever the others do. */
  mayRaise(trapId: string, host: string, network: string): boolean;
  raised(trapId: string, threatId: string, network: string): void;
  /** Whether the trap may send another event this hour. That of a new threat is sent in any case. */
  mayTell(trapId: string): boolean;
  told(trap: { id: string; name: string }): void;
}

const hourMs = 3_600_000;
/** So that one forger does not take what is there for the visitors of a real copy: a sixth of it, some at least. */
const hostsPerNetwork = (hostsPerHour: number) => Math.max(5, Math.ceil(hostsPerHour / 6));
/** Counting goes over all rows of an hour: not at each visit. */
const countedForMs = 1_000;
const countersMax = 20_000;

export function createAlarmBounds({
  clock,
  hits,
  log,
  settings: { eventsPerHour, hostsPerHour },
}: {
  clock: Pick<Clock, "now">;
  hits: Pick<HitStore, "threatsSince" | "hasRaised">;
  log: Log;
  settings: { eventsPerHour: number; hostsPerHour: number };
}): AlarmBounds {
  const lately = new Map<string, { threats: Set<string>; countedAt: Instant }>();
  const perNetwork = hostsPerNetwork(hostsPerHour);
  const ofNetworks = createCounters();
  const sent = createCounters();
  const refused = createCounters();

  function threatsOf(trapId: string): Set<string> {
    const now = clock.now();
    const known = lately.get(trapId);
    if (known !== undefined && now >= known.countedAt && now < known.countedAt + countedForMs)
      return known.threats;
    if (lately.size >= countersMax) lately.clear();
    const threats = new Set(hits.threatsSince(trapId, now - hourMs));
    lately.set(trapId, { threats, countedAt: now });
    return threats;
  }

  return {
    mayRaise(trapId, host, network) {
      const now = clock.now();
      const mine = network === "" ? 0 : ofNetworks.count(`${trapId} ${network}`, now);
      if (threatsOf(trapId).size < hostsPerHour && mine < perNetwork) return true;
      if (hits.hasRaised(trapId, host)) return true;
      // Whoever floods a beacon may be about to show a copy that nobody is to notice.
      if (refused.count(trapId, now) === 0)
        log.warn({ id: trapId, hostsPerHour }, "a beacon is told of so many hosts that some raise no threat");
      refused.add(trapId, now);
      return false;
    },
    raised(trapId, threatId, network) {
      const threats = threatsOf(trapId);
      if (threats.has(threatId)) return;
      threats.add(threatId);
      ofNetworks.add(`${trapId} ${network}`, clock.now());
    },
    mayTell: (trapId) => sent.count(trapId, clock.now()) < eventsPerHour,
    told({ id, name }) {
      sent.add(id, clock.now());
      if (sent.count(id, clock.now()) === eventsPerHour)
        log.warn(
          { id, name, eventsPerHour },
          "a trap sends no more events this hour but of new threats; visits are recorded still",
        );
    },
  };
}

/** How often something happened in its present hour, which begins with the first time. */
function createCounters() {
  const counters = new Map<string, { n: number; since: Instant }>();
  return {
    count(key: string, now: Instant): number {
      const counter = counters.get(key);
      return counter === undefined || now < counter.since || now >= counter.since + hourMs ? 0 : counter.n;
    },
    add(key: string, now: Instant): void {
      const n = this.count(key, now);
      if (n > 0) counters.get(key)!.n = n + 1;
      else {
        if (counters.size >= countersMax) counters.delete(counters.keys().next().value!);
        counters.delete(key);
        counters.set(key, { n: 1, since: now });
      }
    },
  };
}
