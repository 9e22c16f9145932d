import { and, asc, eq, gt, isNotNull, lt, lte, ne, notExists, sql } from "drizzle-orm";
import type { Database } from "../../platform/database/database.ts";
import type { Needs } from "../../platform/database/needs.ts";
import { countValue, statement, value, type Statement } from "../../platform/database/statement.ts";
import { events } from "../../threats/events/tables.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { logDropped } from "../../platform/lib/log.ts";
import { every, type Schedule } from "../../platform/lib/schedule.ts";
import type { Channel } from "./channel.ts";
import type { DeliveryHours } from "./store/hours.ts";
import { deliveries, recipients } from "./store/tables.ts";

/**
 * Deletes old events and deliveries, and expired parts of targets such as replaced secrets. Pending deliveries
 * are never deleted, and events only after their deliveries.
 */
export type Retention = ReturnType<typeof createRetention>;

interface DeletedCounts {
  events: number;
  deliveries: number;
}

const hourly = "23 * * * *";
/** Maximum time for which a step blocks requests and other writes, without the commit. */
const stepMs = 4;
const rowsPerStepMin = 16;
const rowsPerStepMax = 1_000;
const background = { relaxed: true, patient: true };

interface RetentionDependencies extends Needs<"clock" | "database" | "log"> {
  channels: ReadonlyMap<string, Channel>;
  hours: Pick<DeliveryHours, "deleteOld">;
  settings: { eventsMs: number; deliveriesMs: number };
}

export function createRetention({ channels, clock, database, hours, log, settings }: RetentionDependencies) {
  let schedule: Schedule | undefined;
  let stopped = false;
  let running: Promise<unknown> = Promise.resolve();
  const ofDeliveries = oldDeliveries(database);
  const ofEvents = oldEvents(database);

  /** Walks from the oldest row to the first that is young enough, a few rows per transaction. */
  async function deleteOld({ page, remove }: OldRows, before: Instant): Promise<number> {
    let removed = 0;
    let after = 0;
    let limit = rowsPerStepMin;
    for (;;) {
      if (stopped) return removed;
      const now = clock.now();
      const rows = page.all({ after, limit });
      // Rows from the future were written before the clock was set back. They must not hide the rows after them.
      if (!rows.some(({ createdAt }) => createdAt < before || createdAt > now)) return removed;
      const last = rows.at(-1)!.seq;
      // Relaxed is safe: rows that return after a power failure are deleted again.
      const { count, tookMs } = await database.write(
        () => timed(() => remove({ after, last, before })),
        background,
      );
      removed += count;
      after = last;
      limit = Math.min(rowsPerStepMax, Math.max(rowsPerStepMin, tookMs > stepMs ? limit >> 1 : limit << 1));
      // Requests and other writes get at least half of the time.
      await Bun.sleep(tookMs);
    }
  }

  /** Runs now and returns the numbers of deleted rows. */
  async function run(): Promise<DeletedCounts> {
    const now = clock.now();
    const counts = {
      deliveries: await deleteOld(ofDeliveries, now - settings.deliveriesMs),
      events: await deleteOld(ofEvents, now - settings.eventsMs),
    };
    await database.write(() => hours.deleteOld(now), background);
    await expireTargets(database, channels, now);
    if (counts.events + counts.deliveries > 0) log.event("retention.deleted", counts);
    return counts;
  }

  return {
    /** Runs once an hour from now on. */
    start() {
      stopped = false;
      schedule = every({
        clock,
        pattern: hourly,
        run: () =>
          (running = run().catch((error: unknown) =>
            logDropped(log, error, "retention.failed"),
          )) as Promise<void>,
      });
    },
    async stop() {
      stopped = true;
      schedule?.stop();
      await running;
    },
    run,
  };
}

function timed(work: () => number): { count: number; tookMs: number } {
  const startedAt = performance.now();
  const count = work();
  return { count, tookMs: performance.now() - startedAt };
}

interface OldRows {
  /** Returns the next rows, oldest first. */
  page: Statement<{ seq: number; createdAt: Instant }>;
  /** Deletes rows after `after` up to `last` that may be deleted, and returns their number. */
  remove(range: { after: number; last: number; before: Instant }): number;
}

/** Reads the rows of a table, oldest first. */
function pageOf(database: Database, table: typeof deliveries | typeof events): OldRows["page"] {
  return statement(database, (query) =>
    query
      .select({ seq: table.seq, createdAt: table.createdAt })
      .from(table)
      .where(gt(table.seq, value(table.seq, "after")))
      .orderBy(asc(table.seq))
      .limit(countValue("limit")),
  );
}

function oldDeliveries(database: Database): OldRows {
  const remove = statement(database, (query) =>
    query
      .delete(deliveries)
      .where(
        and(
          gt(deliveries.seq, value(deliveries.seq, "after")),
          lte(deliveries.seq, value(deliveries.seq, "last")),
          ne(deliveries.status, "pending"),
          lt(deliveries.completedAt, value(deliveries.completedAt, "before")),
        ),
      ),
  );
  return { page: pageOf(database, deliveries), remove: counting(database, remove) };
}

function oldEvents(database: Database): OldRows {
  const deliveryOfEvent = database.query
    .select({ one: sql`1` })
    .from(deliveries)
    .where(eq(deliveries.eventSeq, events.seq));
  const remove = statement(database, (query) =>
    query
      .delete(events)
      .where(
        and(
          gt(events.seq, value(events.seq, "after")),
          lte(events.seq, value(events.seq, "last")),
          lt(events.createdAt, value(events.createdAt, "before")),
          isNotNull(events.dispatchedAt),
          notExists(deliveryOfEvent),
        ),
      ),
  );
  return { page: pageOf(database, events), remove: counting(database, remove) };
}

/** Returns a function that deletes rows and returns their number, without the rows that cascades delete. */
function counting({ prepare }: Pick<Database, "prepare">, remove: Statement<unknown>): OldRows["remove"] {
  const deleted = prepare<{ count: number }>("select changes() as count");
  return (range) => {
    remove.run(range);
    return deleted.get()!.count;
  };
}

/** Replaced secrets no longer sign, so they should not stay in the database. */
function expireTargets(
  database: Database,
  channels: ReadonlyMap<string, Channel>,
  now: Instant,
): Promise<void> {
  const { query } = database;
  return database.write(
    () => {
      const rows = query
        .select({ seq: recipients.seq, channel: recipients.channel, target: recipients.target })
        .from(recipients)
        .all();
      for (const { seq, channel, target: stored } of rows) {
        const target = channels.get(channel)?.withoutExpired?.(stored, now) ?? stored;
        if (target !== stored) query.update(recipients).set({ target }).where(eq(recipients.seq, seq)).run();
      }
    },
    { patient: true },
  );
}
