import type { Settings } from "../../../access/settings/settings.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import type { Timer } from "../../../platform/lib/clock.ts";
import { logDropped } from "../../../platform/lib/log.ts";

/** Completes threats that an earlier version recorded, in the background, the newest ones first. */
export interface Backfill {
  start(): void;
  stop(): Promise<void>;
}

export interface BackfillDependencies extends Needs<"clock" | "database" | "log"> {
  settings: Settings;
}

/** Number of threats in a batch, which takes a few milliseconds. */
const batchThreats = 200;
/** A million threats take about five minutes. */
const pauseMs = 50;
const retryMs = 60_000;

/** Each batch and its progress are one transaction, so that a restart continues. */
export function createBackfill(
  { clock, database, log, settings }: BackfillDependencies,
  {
    setting,
    delayed,
    complete,
  }: {
    /** Setting that keeps the highest row number that is left. */
    setting: "severities_left" | "site_states_left";
    /** Event of the log for a batch that has to be tried again. */
    delayed: "lookup.severities_delayed" | "lookup.site_states_delayed";
    /** Completes the threats whose row numbers are above `from` and up to `to`, within a transaction. */
    complete: (from: number, to: number) => void;
  },
): Backfill {
  let timer: Timer | undefined;
  let running: Promise<void> | undefined;
  let stopped = true;

  function left(): number {
    const stored = settings.get(setting);
    if (stored !== undefined) return Number(stored);
    const last = database.sqlite.query<{ last: number | null }, []>("select max(seq) as last from threats");
    return last.get()!.last ?? 0;
  }

  function runBatch(): number {
    const to = left();
    const from = Math.max(0, to - batchThreats);
    complete(from, to);
    settings.set(setting, String(from));
    return from;
  }

  async function step(): Promise<void> {
    try {
      const isDone = (await database.write(runBatch, { relaxed: true, patient: true })) === 0;
      if (!isDone) schedule(pauseMs);
    } catch (error) {
      logDropped(log, error, delayed);
      schedule(retryMs);
    }
  }

  function schedule(delayMs: number): void {
    if (stopped) return;
    timer = clock.after(delayMs, () => void (running = step()));
  }

  return {
    start() {
      // A database in memory is new.
      if (!database.isShared || settings.get(setting) === "0") return;
      stopped = false;
      schedule(pauseMs);
    },
    async stop() {
      stopped = true;
      timer?.cancel();
      await running;
    },
  };
}
