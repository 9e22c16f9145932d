import { and, asc, eq, gt, inArray, isNotNull, lt, ne, notExists, sql } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import { statement, value } from "../database/statement.ts";
import { events } from "../events/tables.ts";
import type { Clock, Instant } from "../lib/clock.ts";
import { logDropped, type Log } from "../lib/log.ts";
import { every, type Schedule } from "../lib/schedule.ts";
import type { Channel } from "./channel.ts";
import type { DeliveryHours } from "./store/hours.ts";
import { deliveries, recipients } from "./store/tables.ts";

/**
 * Deletes old events and deliveries, and expired parts of targets such as replaced secrets. Pending deliveries
 * are never deleted, and events only after their deliveries.
 */
export interface Retention {
  /** Runs once an hour from now on. */
  start(): void;
  stop(): Promise<void>;
  /** Runs now and returns the numbers of deleted rows. */
  run(): Promise<DeletedCounts>;
}

interface DeletedCounts {
  events: number;
  deliveries: number;
}

const hourly = "23 * * * *";
const rowsPerStep = 500;
const background = { relaxed: true, patient: true };

export function createRetention({
  channels,
  clock,
  database,
  hours,
  log,
  settings,
}: {
  channels: ReadonlyMap<string, Channel>;
  clock: Clock;
  database: Database;
  hours: Pick<DeliveryHours, "deleteOld">;
  log: Log;
  settings: { eventsMs: number; deliveriesMs: number };
}): Retention {
  let schedule: Schedule | undefined;
  let stopped = false;
  let running: Promise<unknown> = Promise.resolve();
  const ofDeliveries = oldDeliveries(database);
  const ofEvents = oldEvents(database);

  /** Walks from the oldest row to the first that is young enough, a few rows per transaction. */
  async function deleteOld({ page, remove }: OldRows, before: Instant): Promise<number> {
    let removed = 0;
    let after = 0;
    for (;;) {
      if (stopped) return removed;
      const now = clock.now();
      const rows = page(after);
      // Rows from the future were written before the clock was set back. They must not hide the rows after them.
      if (!rows.some(({ createdAt }) => createdAt < before || createdAt > now)) return removed;
      const seqs = rows.filter(({ createdAt }) => createdAt < before).map(({ seq }) => seq);
      // Relaxed is safe: rows that return after a power failure are deleted again.
      if (seqs.length > 0) removed += await database.write(() => remove(seqs, before), background);
      after = rows.at(-1)!.seq;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

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

interface OldRows {
  /** Returns the next rows, oldest first. */
  page(after: number): { seq: number; createdAt: Instant }[];
  /** Deletes those of the rows that may be deleted and returns their number. */
  remove(seqs: number[], before: Instant): number;
}

function oldDeliveries(database: Database): OldRows {
  const { query } = database;
  const page = statement(database, (builder) =>
    builder
      .select({ seq: deliveries.seq, createdAt: deliveries.createdAt })
      .from(deliveries)
      .where(gt(deliveries.seq, value(deliveries.seq, "after")))
      .orderBy(asc(deliveries.seq))
      .limit(rowsPerStep),
  );
  return {
    page: (after) => page.all({ after }),
    remove: (seqs, before) =>
      query
        .delete(deliveries)
        .where(
          and(
            inArray(deliveries.seq, seqs),
            ne(deliveries.status, "pending"),
            lt(deliveries.completedAt, before),
          ),
        )
        .returning({ seq: deliveries.seq })
        .all().length,
  };
}

function oldEvents(database: Database): OldRows {
  const { query } = database;
  const page = statement(database, (builder) =>
    builder
      .select({ seq: events.seq, createdAt: events.createdAt })
      .from(events)
      .where(gt(events.seq, value(events.seq, "after")))
      .orderBy(asc(events.seq))
      .limit(rowsPerStep),
  );
  const deliveryOfEvent = query
    .select({ one: sql`1` })
    .from(deliveries)
    .where(eq(deliveries.eventSeq, events.seq));
  return {
    page: (after) => page.all({ after }),
    remove: (seqs, before) =>
      query
        .delete(events)
        .where(
          and(
            inArray(events.seq, seqs),
            lt(events.createdAt, before),
            isNotNull(events.dispatchedAt),
            notExists(deliveryOfEvent),
          ),
        )
        .returning({ seq: events.seq })
        .all().length,
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
