import type { Database } from "../../../platform/database/database.ts";
import type { InspectionFilter, PersonalRequest, RequestProgress } from "../model/request.ts";
import type { Config } from "../../../platform/config/config.ts";
import { dayMs, startOfDay, type Instant } from "../../../platform/lib/clock.ts";
import type { InspectionStatus } from "../model/inspection.ts";
import { disabledBy } from "./admission.ts";
import type { Budget } from "./budget.ts";
import type { InspectionStore } from "./store.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import { every, type Schedule } from "../../../platform/lib/schedule.ts";
import { inspectionPriorities } from "../../../platform/vocabulary/inspections.ts";

/** `total` is counted up to this number. */
export const listedMax = 10_000;
/** No index helps with several conditions: all but one apply to this many of the latest rows that meet that one. */
const searchedMax = 10_000;

/** Returns the ids of one page, the newest request first. */
export function createInspectionList({ prepare }: Pick<Database, "prepare">) {
  return (filter: InspectionFilter, { page, perPage }: { page: number; perPage: number }) => {
    const { where, values } = conditionOf(filter);
    const ids = prepare<{ id: string }, (string | number)[]>(
      `select id from inspections ${where} order by seq desc limit ? offset ?`,
    )
      .all(...values, perPage, Math.min(page - 1, listedMax) * perPage)
      .map(({ id }) => id);
    const { n } = prepare<{ n: number }, (string | number)[]>(
      `select count(*) as n from (select 1 from inspections ${where} limit ${listedMax})`,
    ).get(...values)!;
    return { ids, total: n };
  };
}

/** Returns how far a request of a person is. */
export function createRequestProgress({ prepare }: Pick<Database, "prepare">) {
  return (request: PersonalRequest): RequestProgress => {
    const { sql, values } = conditionOfRequest(request);
    return prepare<RequestProgress, (string | number)[]>(
      `select count(*) as "all", count(*) filter (where imitates = 1) as imitating,
           count(*) filter (where state = 'done' and imitates is not 1) as harmless,
           count(*) filter (where state = 'failed') as failed, count(*) filter (where state = 'skipped') as skipped,
           count(*) filter (where state in ('queued', 'running')) as waiting
         from inspections where ${sql}`,
    ).get(...values)!;
  };
}

interface Condition {
  sql: string;
  values: (string | number)[];
}

function conditionOf({ origin, text, ...filter }: InspectionFilter) {
  const [first, ...others] = indexedConditions(filter);
  if (origin !== undefined)
    others.push({ sql: "origin_kind = ? and origin_name = ?", values: [origin.kind, origin.name] });
  if (text !== undefined && text !== "")
    others.push({ sql: "instr(lower(address), ?) > 0", values: [text.toLowerCase()] });
  const where = first === undefined ? "" : `where ${first.sql}`;
  const values = [first, ...others].flatMap((condition) => condition?.values ?? []);
  if (others.length === 0) return { where, values };
  const latest = `select seq from inspections ${where} order by seq desc limit ${searchedMax}`;
  return { where: `where ${[`seq in (${latest})`, ...others.map(({ sql }) => sql)].join(" and ")}`, values };
}

/** Returns the conditions that have an index, the most selective first. */
function indexedConditions(options: InspectionFilter): Condition[] {
  const { imitates, protectedDomain, request, source, states } = options;
  const conditions = [
    request && conditionOfRequest(request),
    imitates === true && { sql: "imitates = 1", values: [] },
    protectedDomain !== undefined && { sql: "protected_domain = ?", values: [protectedDomain] },
    states && { sql: `state in (${states.map(() => "?").join()})`, values: [...states] },
    source && { sql: "source = ?", values: [source] },
    imitates === false && { sql: "imitates = 0", values: [] },
  ];
  return conditions.filter((condition) => condition !== undefined && condition !== false);
}

/** The rows of a request follow each other, with few others between them. The first or last one may be deleted. */
function conditionOfRequest({ by, first, last }: PersonalRequest): Condition {
  return {
    sql: `seq >= (select seq from inspections where id >= ? order by id limit 1)
      and seq <= (select seq from inspections where id <= ? order by id desc limit 1)
      and origin_kind = 'console' and origin_name = ?`,
    values: [first, last, by],
  };
}

/** Counting what waits takes a few milliseconds, so a result is used for this long. */
const keptMs = 1_000;

interface StatusDependencies extends Needs<"clock"> {
  budget: Budget;
  config: Pick<Config, "inspection" | "lookups">;
  running: () => number;
  store: InspectionStore;
}

/** Returns the state of the queue. `forget` has it counted again, for a person who looks at what was just requested. */
export function createStatus({ budget, clock, config, running, store }: StatusDependencies) {
  let counted: Pick<InspectionStatus, "waiting" | "oldestAt" | "totals"> | undefined;
  let countedAtMs = -Infinity;
  function status(): InspectionStatus {
    const now = clock.now();
    if (counted === undefined || clock.monotonicMs() - countedAtMs >= keptMs) {
      counted = {
        waiting: store.waiting(),
        oldestAt: store.oldestWaitingAt() ?? null,
        totals: store.totals(),
      };
      countedAtMs = clock.monotonicMs();
    }
    const { perDay, perMinute } = config.inspection;
    return {
      disabled: disabledBy(config),
      ...counted,
      running: running(),
      budget: {
        minute: { used: budget.lastMinute(), max: perMinute },
        day: { used: store.countToday(now, "started"), max: perDay, endsAt: startOfDay(now) + dayMs },
      },
    };
  }

  return {
    status,
    forget: () => void (counted = undefined),
  };
}

const hourly = "37 * * * *";
/** Blocks requests: removing a row from all indexes takes about 0.1 ms. */
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
    await run().catch((error: unknown) => logDropped(log, error, "inspection.not_deleted"));
  }

  return {
    /** Runs once an hour from now on. */
    start() {
      if (!database.isShared) return;
      schedule = every({ clock, pattern: hourly, run: () => (running = runLogged()) });
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
