import type { Config } from "../../config/config.ts";
import type { Database } from "../../database/database.ts";
import type { Clock, Timer } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import { every, type Schedule } from "../../lib/schedule.ts";
import { disabledBy } from "./admission.ts";
import type { Budget } from "./budget.ts";
import { createSelection } from "./selection.ts";
import type { QueuedInspection } from "./statements.ts";
import type { InspectionStore } from "./store.ts";

/** As many as the inspector runs. An inspection spends nearly all of its time waiting for a server. */
const concurrencyMax = 32;
/** The rest is for people: slow servers and pages that wait for the browser could occupy everything for minutes. */
const unattendedMax = 28;
const everySecond = "* * * * * *";
const retryMs = 1_000;
/** Pause after an internal error, such as a full disk, which the next inspection would meet as well. */
const errorPauseMs = 5_000;
const errorDelayMs = 60_000;
const internalError = "an internal error occurred; the log has details";
/** A power failure loses only what is inspected again. */
const background = { relaxed: true, patient: true };

/** Starts what is due, with limits on concurrency and by the budget. */
export interface Pump {
  start(): void;
  /** Starts nothing more and aborts what is running, which stays queued. */
  stop(): Promise<void>;
  /** Looks for due inspections now. Does nothing before `start`. */
  wake(): void;
  running(): number;
  idle(): Promise<void>;
}

interface PumpDependencies {
  budget: Budget;
  clock: Clock;
  config: Pick<Config, "inspection" | "lookups">;
  database: Database;
  log: Log;
  run: (inspection: QueuedInspection, signal: AbortSignal) => Promise<void>;
  store: InspectionStore;
}

export function createPump(dependencies: PumpDependencies): Pump {
  const { clock, config, database, log, run, store } = dependencies;
  const selection = createSelection(dependencies);
  /** By host: a host is inspected once at a time. */
  const running = new Map<string, Promise<void>>();
  const places = createPlaces();
  let session: { aborting: AbortController; poll: Schedule | undefined } | undefined;
  let pumping: Promise<void> | undefined;
  let mustPumpAgain = false;
  let pausedUntilMs = -Infinity;
  let timer: Timer | undefined;

  const requeueAfter = (seq: number, isStopped: boolean) =>
    isStopped ? store.putBack(seq) : store.requeue(seq, clock.now() + errorDelayMs, internalError);

  async function runOne(inspection: QueuedInspection, signal: AbortSignal): Promise<void> {
    try {
      await run(inspection, signal);
    } catch (error) {
      if (!signal.aborted) {
        pausedUntilMs = clock.monotonicMs() + errorPauseMs;
        log.event("inspection.failed", { error });
      }
      // If the database fails as well, the next start queues it again.
      await database.write(() => requeueAfter(inspection.seq, signal.aborted), background).catch(() => {});
    }
  }

  async function pump(signal: AbortSignal): Promise<void> {
    const taken = clock.monotonicMs() < pausedUntilMs ? [] : selection.take(places.free());
    if (taken.length > 0) {
      const started = await database.write(() => selection.begin(taken, new Set(running.keys())), background);
      dependencies.budget.start(started.length);
      for (const inspection of started) {
        const { host, priority } = inspection;
        const leave = places.take(priority);
        const done = runOne(inspection, signal).finally(() => {
          running.delete(host);
          leave();
          wake();
        });
        running.set(host, done);
      }
    }
    if (!database.isShared && running.size === 0) setTimer();
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
        pausedUntilMs = clock.monotonicMs() + errorPauseMs;
        log.event("inspection.queue_delayed", { error });
      }
    }
  }

  return {
    start() {
      const poll = database.isShared ? every({ clock, pattern: everySecond, run: wake }) : undefined;
      session = { aborting: new AbortController(), poll };
      wake();
    },
    async stop() {
      session?.poll?.stop();
      timer?.cancel();
      session?.aborting.abort(new Error("stopped"));
      await pumping;
      await Promise.all(running.values());
      session = undefined;
    },
    wake,
    running: () => running.size,
    async idle() {
      for (;;) {
        await pumping;
        if (running.size > 0) await Promise.race(running.values());
        else if (session === undefined || selection.take(oneMore).length === 0) return;
        else wake();
      }
    },
  };
}

const oneMore = { concurrent: 1, unattended: 1 };

/** Counts what is running. */
function createPlaces() {
  const taken = { concurrent: 0, unattended: 0 };
  return {
    free: () => ({
      concurrent: concurrencyMax - taken.concurrent,
      unattended: unattendedMax - taken.unattended,
    }),
    /** Returns a function that makes the place free again. */
    take(priority: QueuedInspection["priority"]): () => void {
      const unattended = priority === "person" ? 0 : 1;
      taken.concurrent += 1;
      taken.unattended += unattended;
      return () => {
        taken.concurrent -= 1;
        taken.unattended -= unattended;
      };
    },
  };
}
