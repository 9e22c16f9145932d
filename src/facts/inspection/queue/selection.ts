import type { Config } from "../../../platform/config/config.ts";
import { startOfDay, type Clock, type Instant } from "../../../platform/lib/clock.ts";
import type { Log } from "../../../platform/lib/log.ts";
import { inspectionPriorities } from "../../../platform/vocabulary/inspections.ts";
import { disabledBy, hostPauseMs, waitFor } from "./admission.ts";
import type { Budget } from "./budget.ts";
import type { QueuedInspection } from "../store/statements.ts";
import type { InspectionStore } from "../store/inspection-store.ts";
import { siteOf } from "../measures/addresses.ts";

interface SelectionDependencies {
  budget: Budget;
  clock: Pick<Clock, "monotonicMs" | "now">;
  config: Pick<Config, "inspection" | "lookups">;
  log: Log;
  store: InspectionStore;
}

/** Selects what starts next: people's addresses first, within the budget, and one address per host and hour. */
export function createSelection({ budget, clock, config, log, store }: SelectionDependencies) {
  /** Day on which a used up budget was logged. */
  let reportedOn: Instant | undefined;
  const sites = createSiteShares(clock.monotonicMs);

  /**
   * Returns the inspections that may start now, people's first.
   * @param free number that may run in addition, and how many of them for feeds and programs
   */
  function take(free: { concurrent: number; unattended: number }): QueuedInspection[] {
    if (disabledBy(config) !== null) return [];
    const now = clock.now();
    const startedToday = store.countToday(now, "started");
    const allowed = budget.allowed(config.inspection, startedToday);
    if (startedToday >= config.inspection.perDay) reportBudget(now);
    const countMax = Math.min(free.concurrent, allowed.anyone);
    let unattended = Math.min(free.unattended, allowed.unattended);
    const taken: QueuedInspection[] = [];
    for (const priority of inspectionPriorities) {
      const left = countMax - taken.length;
      const limit = priority === "person" ? left : Math.min(left, unattended);
      if (limit <= 0) continue;
      const due = store.due(priority, now, limit);
      unattended -= due.length;
      taken.push(...due);
    }
    return taken;
  }

  function reportBudget(now: Instant): void {
    if (reportedOn === startOfDay(now) || store.nextDueAt() === undefined) return;
    reportedOn = startOfDay(now);
    log.event("inspection.budget_used_up", { inspectionsPerDay: config.inspection.perDay });
  }

  /** Marks inspections as started. One whose host was inspected a moment ago waits. Must run within a transaction. */
  function begin(taken: readonly QueuedInspection[], runningHosts: ReadonlySet<string>): QueuedInspection[] {
    const now = clock.now();
    const hosts = new Set(runningHosts);
    const started = taken.flatMap(({ id }) => {
      // Read again: since it was taken, it may have been dropped, or a person may have requested it.
      const inspection = store.get(id);
      if (inspection?.state !== "queued") return [];
      const { host, priority, requestedAt, seq } = inspection;
      const wait = hosts.has(host)
        ? { dueAt: now + hostPauseMs, reason: "another page of its host is being inspected" }
        : waitFor(store, host, now, requestedAt);
      if (wait.dueAt > now) {
        store.postpone(seq, wait.dueAt, wait.reason ?? "");
        return [];
      }
      const delayMs = priority === "person" ? 0 : sites.take(host, config.inspection.perMinute);
      if (delayMs > 0) {
        store.postpone(seq, now + delayMs, "other hosts of its domain come first");
        return [];
      }
      hosts.add(host);
      store.start(seq, now);
      return [inspection];
    });
    if (started.length > 0) store.add(now, "started", started.length);
    return started;
  }

  return { begin, take };
}

/** Part of the budget of a minute that the hosts of one site may use: the rest is for all others. */
const share = 0.8;
/** Starts that are possible at once, as part of the share of a minute. */
const burst = 0.2;
const minuteMs = 60_000;
/** Sites that are kept before those without a use are removed. */
const sitesMax = 10_000;

interface Site {
  /** Time up to which its share is used. */
  usedToMs: number;
  /** Last time that was given to an address which has to wait. */
  givenMs: number;
}

/**
 * Limits how many hosts of one registrable domain are inspected: its owner makes as many of them as they like.
 */
export function createSiteShares(monotonicMs: () => number) {
  const sites = new Map<string, Site>();
  return {
    /** Takes a start. Returns 0, or how long the host has to wait in milliseconds, one after the other. */
    take(host: string, perMinute: number) {
      const now = monotonicMs();
      if (sites.size > sitesMax)
        for (const [name, { givenMs, usedToMs }] of sites)
          if (usedToMs <= now && givenMs <= now) sites.delete(name);
      const intervalMs = minuteMs / (share * perMinute);
      const aheadMs = burst * share * minuteMs;
      const name = siteOf(host);
      const site = sites.get(name) ?? { usedToMs: now, givenMs: now };
      sites.set(name, site);
      if (site.usedToMs - aheadMs <= now) {
        site.usedToMs = Math.max(site.usedToMs, now) + intervalMs;
        return 0;
      }
      site.givenMs = Math.max(site.givenMs, now) + intervalMs;
      return Math.ceil(site.givenMs - now);
    },
  };
}
