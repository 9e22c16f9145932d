import { and, eq, gt, lte, sql } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import type { Instant } from "../lib/clock.ts";
import type { FinishedAttempt } from "./recorder.ts";
import { webhookEndpoints } from "./tables.ts";

/** Keeps count of the failures in a row of each endpoint. */
export interface Health {
  /**
   * Takes account of attempts, in the order of their ends; within the transaction that records them.
   * @returns endpoints that are disabled now because they did nothing but fail for too long
   */
  update(
    attempts: readonly FinishedAttempt[],
    now: Instant,
  ): { id: string; name: string; failingSince: Instant }[];
}

export function createHealth({
  database,
  disableAfterMs,
}: {
  database: Database;
  /** Null: never. */
  disableAfterMs: number | null;
}): Health {
  const { query } = database;
  const bySeq = eq(webhookEndpoints.seq, sql.placeholder("seq"));
  const succeed = query
    .update(webhookEndpoints)
    .set({ consecutiveFailures: 0, failingSince: null })
    .where(and(bySeq, gt(webhookEndpoints.consecutiveFailures, 0)))
    .prepare();
  const fail = query
    .update(webhookEndpoints)
    .set({
      consecutiveFailures: sql`${webhookEndpoints.consecutiveFailures} + ${sql.placeholder("failures")}`,
      failingSince: sql`coalesce(${webhookEndpoints.failingSince}, ${sql.placeholder("since")})`,
    })
    .where(bySeq)
    .prepare();
  const disable = query
    .update(webhookEndpoints)
    .set({
      enabled: false,
      disabledReason: "failing",
      disabledAt: sql`${sql.placeholder("now")}`,
      updatedAt: sql`${sql.placeholder("now")}`,
    })
    .where(
      and(
        bySeq,
        eq(webhookEndpoints.enabled, true),
        lte(webhookEndpoints.failingSince, sql.placeholder("latest")),
      ),
    )
    .returning({
      id: webhookEndpoints.id,
      name: webhookEndpoints.name,
      failingSince: webhookEndpoints.failingSince,
    })
    .prepare();

  return {
    update(attempts, now) {
      const byEndpoint = Map.groupBy(attempts, (attempt) => attempt.endpointSeq);
      const disabled = [];
      for (const [seq, own] of byEndpoint) {
        const lastSuccess = own.findLastIndex(({ result }) => result.failure === null);
        if (lastSuccess !== -1) succeed.run({ seq });
        const failures = own.slice(lastSuccess + 1);
        if (failures.length === 0) continue;
        fail.run({ seq, failures: failures.length, since: failures[0]!.result.startedAt });
        if (disableAfterMs === null) continue;
        const row = disable.get({ seq, now, latest: now - disableAfterMs });
        if (row !== undefined) disabled.push({ ...row, failingSince: row.failingSince! });
      }
      return disabled;
    },
  };
}
