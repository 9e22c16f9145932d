import type { Config } from "../../../platform/config/config.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import { dayMs, type Instant } from "../../../platform/lib/clock.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import { every, type Schedule } from "../../../platform/lib/schedule.ts";
import { inspectionPriorities } from "../../../platform/vocabulary/inspections.ts";
import type { InspectionStore } from "../store/inspection-store.ts";

const hourly = "37 * * * *";
/** No request is served meanwhile: each deleted row is removed from all indexes, in about 0.1 ms. */
const rowsPerStep = 10;
/** Results without an imitation that are kept at most: five days of the default budget. */
const harmlessMax = 500_000;
/** Phishing pages rarely live longer: an address of a feed that has been due for this long is dropped. */
const waitingMsMax = 3 * dayMs;
const countedDays = 400;
const background = { relaxed: true, patient: true };

interface CleanupDependencies extends Needs<"clock" | "database" | "log"> {
  config: Pick<Config, "retention">;
  store: Pick<InspectionStore, "add">;
}

/** Deletes old results, a few rows per transaction. */
export function createCleanup({ clock, config, database, log, store }: CleanupDependencies) {
  const steps = prepareSteps(database);
  let schedule: Schedule | undefined;
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();

  async function repeat(step: () => number): Promise<number> {
    let sum = 0;
    while (!stopping.signal.aborted) {
      const changed = await database.write(step, background);
      sum += changed;
      if (changed < rowsPerStep) return sum;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return sum;
  }

  /** Runs now and returns the number of deleted rows. */
  async function run(): Promise<number> {
    const now = clock.now();
    await repeat(() => {
      const dropped = steps.dropWaiting(now);
      if (dropped > 0) store.add(now, "dropped", dropped);
      return dropped;
    });
    const older = await repeat(() => steps.deleteOlder(now - config.retention.inspectionsMs));
    const surplus = await repeat(steps.deleteSurplus());
    await database.write(() => void steps.deleteCounts(now - countedDays * dayMs), background);
    return older + surplus;
  }

  async function runLogged(): Promise<void> {
    try {
      await run();
    } catch (error) {
      logDropped(log, error, "inspection.not_deleted");
    }
  }

  return {
    /** Runs once an hour from now on. */
    start() {
      if (!database.isShared) return;
      schedule = every({
        clock,
        pattern: hourly,
        run: () => (running = runLogged()),
      });
    },
    async stop() {
      stopping.abort();
      schedule?.stop();
      await running;
    },
    run,
  };
}

/** Each step changes a limited number of rows, and returns how many. */
function prepareSteps({ prepare }: Pick<Database, "prepare">) {
  const deleteOlder = prepare<unknown, [Instant, number]>(
    "delete from inspections where seq in (select seq from inspections where finished_at < ? limit ?)",
  );
  // Numbers of rows are dense enough to count by. What is kept is passed once, and not by each step.
  const deleteSurplus = prepare<{ seq: number }, [number, number, number]>(
    `delete from inspections where seq in
       (select seq from inspections
        where seq > ? and seq <= (select coalesce(max(seq), 0) from inspections) - ?
          and finished_at is not null and imitates is not 1 order by seq limit ?)
     returning seq`,
  );
  const dropWaiting = prepare<unknown, [Instant, number, Instant, number]>(
    `update inspections set state = 'skipped', finished_at = ?, reason = 'dropped: waited for three days'
     where seq in
       (select seq from inspections where state = 'queued' and priority = ? and due_at < ? order by due_at limit ?)`,
  );
  const deleteCounts = prepare<unknown, [Instant]>("delete from inspection_counts where day > 0 and day < ?");
  return {
    deleteOlder: (before: Instant) => deleteOlder.run(before, rowsPerStep),
    deleteSurplus() {
      let passed = 0;
      return () => {
        const deleted = deleteSurplus.all(passed, harmlessMax, rowsPerStep);
        passed = Math.max(passed, ...deleted.map(({ seq }) => seq));
        return deleted.length;
      };
    },
    dropWaiting: (now: Instant) =>
      dropWaiting.run(now, inspectionPriorities.indexOf("feed"), now - waitingMsMax, rowsPerStep),
    deleteCounts: (before: Instant) => deleteCounts.run(before),
  };
}
