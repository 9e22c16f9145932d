import type { Config } from "../../../platform/config/config.ts";
import { createClockFollower, type DueTable } from "../../../platform/database/clock-follower.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import { type Instant, type Timer, startOfDay, type Clock } from "../../../platform/lib/clock.ts";
import { every, type Schedule } from "../../../platform/lib/schedule.ts";
import { disabledBy, hostPauseMs, waitFor } from "./admission.ts";
import type { Budget } from "./budget.ts";
import type { QueuedInspection } from "./store.ts";
import type { InspectionStore } from "./store.ts";
import type { Log } from "../../../platform/lib/log.ts";
import { inspectionPriorities } from "../../../platform/vocabulary/inspections.ts";
import { siteOf } from "../measures/addresses.ts";

/** As many as the inspector runs. An inspection spends nearly all of its time waiting for a server. */
const concurrencyMax = 32;
/** The rest is for people: slow servers could occupy everything for minutes. */
const unattendedMax = 28;
const everySecond = "* * * * * *";
const retryMs = 1_000;
/** Pause after an internal error, such as a full disk, which the next inspection would meet as well. */
const errorPauseMs = 5_000;
const errorDelayMs = 60_000;
const internalError = "an internal error occurred; the log has details";
/** A power failure loses only what is inspected again. */
const background = { relaxed: true, patient: true };

interface PumpDependencies extends Needs<"clock" | "database" | "log"> {
  budget: Budget;
  config: Pick<Config, "inspection" | "lookups">;
  run: (inspection: QueuedInspection, signal: AbortSignal, onBrowser: () => void) => Promise<void>;
  store: InspectionStore;
}

/** Starts what is due, with limits on concurrency and by the budget. */
export function createPump(dependencies: PumpDependencies) {
  const { clock, config, database, log, run, store } = dependencies;
  const selection = createSelection(dependencies);
  const followClock = createClockFollower({ ...dependencies, table: dueTable });
  const places = createPlaces();
  const mayBeDue = createDueTest(dependencies);
  const take = (free: typeof oneMore) => (mayBeDue(clock.now()) ? selection.take(free) : []);
  const recovery = createRecovery({ ...dependencies, running: places.seqs });
  let session: { aborting: AbortController; schedule: Schedule | undefined } | undefined;
  let pumping: Promise<void> | undefined;
  let mustPumpAgain = false;
  let pausedUntilMs = -Infinity;
  let timer: Timer | undefined;

  function pauseAfter(error: unknown, event: "inspection.failed" | "inspection.queue_delayed"): void {
    pausedUntilMs = clock.monotonicMs() + errorPauseMs;
    log.event(event, { error });
  }

  async function runOne(inspection: QueuedInspection, signal: AbortSignal): Promise<void> {
    try {
      await run(inspection, signal, () => (places.free(inspection.host), wake()));
    } catch (error) {
      if (!signal.aborted) pauseAfter(error, "inspection.failed");
      await recovery.queueAgain(inspection.seq, signal.aborted);
    }
  }

  async function pump(signal: AbortSignal): Promise<void> {
    followClock();
    await recovery.run();
    const taken = clock.monotonicMs() < pausedUntilMs ? [] : take(places.left());
    if (taken.length > 0) {
      const started = await database.write(() => selection.begin(taken, places.hosts()), background);
      dependencies.budget.start(started.length);
      for (const inspection of started) places.take(inspection, runOne(inspection, signal)).then(wake, wake);
      // The others wait for their host: what comes after them may start now.
      if (started.length < taken.length) mustPumpAgain = true;
    }
    if (!database.isShared && places.count() === 0) setTimer();
  }

  /** In memory, nothing polls: the sandbox's clock would run each second of a month that it skips. */
  function setTimer(): void {
    timer?.cancel();
    const dueAt = disabledBy(config) === null ? store.nextDueAt() : undefined;
    if (dueAt === undefined || session === undefined) return;
    timer = dueAt > clock.now() ? clock.at(dueAt, wake) : clock.after(retryMs, wake);
  }

  function wake(): void {
    if (session === undefined || session.aborting.signal.aborted) return;
    mustPumpAgain = true;
    pumping ??= pumpWhileNeeded(session.aborting.signal).finally(() => (pumping = undefined));
  }

  async function pumpWhileNeeded(signal: AbortSignal): Promise<void> {
    while (mustPumpAgain && !signal.aborted) {
      mustPumpAgain = false;
      try {
        await pump(signal);
      } catch (error) {
        if (signal.aborted) return;
        pauseAfter(error, "inspection.queue_delayed");
      }
    }
  }

  return {
    start() {
      const schedule = database.isShared ? every({ clock, pattern: everySecond, run: wake }) : undefined;
      session = { aborting: new AbortController(), schedule };
      wake();
    },
    /** Starts nothing more and aborts what is running, which stays queued. */
    async stop() {
      session?.schedule?.stop();
      timer?.cancel();
      session?.aborting.abort(new Error("stopped"));
      await pumping;
      await Promise.all(places.ends());
      session = undefined;
    },
    /** Starts what is due now. Does nothing before `start`. */
    wake,
    running: places.count,
    /** Resolves when nothing is running and nothing is due. */
    async idle(): Promise<void> {
      for (;;) {
        await pumping;
        if (places.count() > 0) await Promise.race(places.ends());
        else if (session === undefined || take(oneMore).length === 0) return;
        else wake();
      }
    },
  };
}

const dueTable: DueTable = { name: "inspections", key: "seq", columns: ["due_at"] };
/**
 * Returns a cheap test of whether an inspection may be due: the sandbox calls it more than a hundred thousand times
 * while its clock skips a month, in which hardly anything changes.
 */
function createDueTest({ database, store }: Pick<PumpDependencies, "database" | "store">) {
  let next: { dueAt: Instant | undefined } | undefined;
  // Only this process changes a database in memory. Other processes can change a file unnoticed.
  if (!database.isShared) database.observe({ failed: () => {}, changed: () => (next = undefined) });
  return (now: Instant): boolean => {
    if (next === undefined || database.isShared) next = { dueAt: store.nextDueAt() };
    return next.dueAt !== undefined && next.dueAt <= now;
  };
}

const oneMore = { concurrent: 1, unattended: 1 };

type Place = Pick<QueuedInspection, "priority" | "seq"> & { end: Promise<void>; waitsForBrowser: boolean };

/** Keeps what is running: a host is inspected once at a time. */
function createPlaces() {
  const running = new Map<string, Place>();
  return {
    count: () => running.size,
    left() {
      const active = [...running.values()].filter(({ waitsForBrowser }) => !waitsForBrowser);
      const unattended = active.filter(({ priority }) => priority !== "person").length;
      return { concurrent: concurrencyMax - active.length, unattended: unattendedMax - unattended };
    },
    /** Lets another inspection start while this one waits for the browser. */
    free(host: string) {
      const waiting = running.get(host);
      if (waiting !== undefined) waiting.waitsForBrowser = true;
    },
    hosts: () => new Set(running.keys()),
    seqs: () => new Set([...running.values()].map(({ seq }) => seq)),
    ends: () => [...running.values()].map(({ end }) => end),
    /** Takes a place until `done` settles. Returns a promise that resolves when the place is free again. */
    take({ host, priority, seq }: QueuedInspection, done: Promise<void>): Promise<void> {
      const end = done.finally(() => running.delete(host));
      running.set(host, { priority, seq, end, waitsForBrowser: false });
      return end;
    },
  };
}

/** A killed command also leaves a row that is marked as running, so this is repeated. */
const recoveryMs = 600_000;
const minuteMs = 60_000;

interface RecoveryDependencies extends Pick<PumpDependencies, "budget" | "clock" | "database" | "store"> {
  running: () => ReadonlySet<number>;
}

/**
 * Returns functions that queue what is marked as running and is not: a process was killed, or the database could not be
 * written.
 * @param running seqs of what this process inspects
 */
function createRecovery({ budget, clock, database, running, store }: RecoveryDependencies) {
  let isFirst = true;
  let dueAtMs = -Infinity;
  return {
    /** Queues what is marked as running, once in a while. */
    async run(): Promise<void> {
      // In memory, nothing was running before.
      if (!database.isShared || clock.monotonicMs() < dueAtMs) return;
      const now = clock.now();
      // Starts before a restart count toward the minute.
      const started = isFirst ? store.startedSince(now - minuteMs, now) : 0;
      await database.write(() => store.requeueOthers(clock.now(), running()), background);
      budget.start(started);
      isFirst = false;
      dueAtMs = clock.monotonicMs() + recoveryMs;
    },
    /** Queues an inspection again after an internal error, or as if it had not been started. */
    async queueAgain(seq: number, isStopped: boolean): Promise<void> {
      const save = () =>
        isStopped ? store.putBack(seq) : store.requeue(seq, clock.now() + errorDelayMs, internalError);
      // If the database fails as well, the next run does it once the database works again.
      await database.write(save, background).catch(() => void (dueAtMs = -Infinity));
    },
  };
}

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
/** Sites that are kept before those without a use are removed. */
const sitesMax = 10_000;

interface Site {
  /** Time up to which its share is used. */
  usedToMs: number;
  /** Last time that was given to an address which has to wait. */
  givenMs: number;
}

/**
 * Limits how many hosts of one registrable domain are inspected: its owner can create any number.
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
