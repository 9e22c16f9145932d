import { and, asc, eq, gt, inArray, isNotNull, lt, lte, ne, notExists, sql } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import { relaxedTransaction } from "../database/relaxed.ts";
import { events } from "../events/tables.ts";
import type { Clock, Instant } from "../lib/clock.ts";
import { logDropped, type Log } from "../lib/log.ts";
import { every, type Schedule } from "../lib/schedule.ts";
import { deliveries, webhookEndpoints } from "./tables.ts";

/** Deletes old events, deliveries and secrets. What is pending is never deleted, and an event not before its deliveries. */
export interface Retention {
  /** Once an hour from now on. */
  start(): void;
  stop(): Promise<void>;
  /** Now. Answers what was deleted. */
  run(): Promise<{ events: number; deliveries: number }>;
}

const hourly = "23 * * * *";
const rowsPerStep = 500;

export function createRetention({
  clock,
  database,
  deliveriesMs,
  eventsMs,
  log,
}: {
  clock: Clock;
  database: Database;
  deliveriesMs: number;
  eventsMs: number;
  log: Log;
}): Retention {
  const { query } = database;
  let schedule: Schedule | undefined;
  let stopped = false;
  let running: Promise<unknown> = Promise.resolve();

  const pageOfDeliveries = query
    .select({ seq: deliveries.seq, createdAt: deliveries.createdAt })
    .from(deliveries)
    .where(gt(deliveries.seq, sql.placeholder("after")))
    .orderBy(asc(deliveries.seq))
    .limit(rowsPerStep)
    .prepare();
  const pageOfEvents = query
    .select({ seq: events.seq, createdAt: events.createdAt })
    .from(events)
    .where(gt(events.seq, sql.placeholder("after")))
    .orderBy(asc(events.seq))
    .limit(rowsPerStep)
    .prepare();

  const deleteDeliveries = (seqs: number[], before: Instant) =>
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
      .all().length;
  const deleteEvents = (seqs: number[], before: Instant) =>
    query
      .delete(events)
      .where(
        and(
          inArray(events.seq, seqs),
          lt(events.createdAt, before),
          isNotNull(events.dispatchedAt),
          notExists(
            query
              .select({ one: sql`1` })
              .from(deliveries)
              .where(eq(deliveries.eventSeq, events.seq)),
          ),
        ),
      )
      .returning({ seq: events.seq })
      .all().length;

  /** Walks from the oldest row to the first that is young enough, some rows a transaction. */
  async function walk(
    page: (after: number) => { seq: number; createdAt: Instant }[],
    remove: (seqs: number[], before: Instant) => number,
    before: Instant,
  ): Promise<number> {
    let removed = 0;
    let after = 0;
    for (;;) {
      if (stopped) return removed;
      const rows = page(after).filter(({ createdAt }) => createdAt < before);
      if (rows.length === 0) return removed;
      const seqs = rows.map(({ seq }) => seq);
      // Not waiting for the disk is safe: what comes back after a power cut is deleted again.
      removed += relaxedTransaction(database, () => remove(seqs, before));
      after = seqs.at(-1)!;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Secrets whose rotation is over sign nothing any more, and need not lie about. */
  function forgetOldSecrets(now: Instant): void {
    query
      .update(webhookEndpoints)
      .set({ previousSecret: null, previousSecretUntil: null })
      .where(lte(webhookEndpoints.previousSecretUntil, now))
      .run();
  }

  async function run(): Promise<{ events: number; deliveries: number }> {
    const now = clock.now();
    const counts = {
      deliveries: await walk(
        (after) => pageOfDeliveries.all({ after }),
        deleteDeliveries,
        now - deliveriesMs,
      ),
      events: await walk((after) => pageOfEvents.all({ after }), deleteEvents, now - eventsMs),
    };
    forgetOldSecrets(now);
    if (counts.events + counts.deliveries > 0) log.info(counts, "old events and deliveries deleted");
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
            logDropped(log, error, "old events could not be deleted"),
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
