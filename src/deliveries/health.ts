import { and, eq, gt, lte, sql } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import { statement, value } from "../database/statement.ts";
import type { Instant } from "../lib/clock.ts";
import type { AttemptResult } from "./channel.ts";
import { recipients } from "./tables.ts";

/** Counts the consecutive failures of each recipient. */
export interface Health {
  /**
   * Counts attempts, sorted by their end, within the transaction that records them.
   * @returns recipients that were disabled because every attempt has failed for too long
   */
  update(attempts: readonly Attempted[], now: Instant): DisabledRecipient[];
}

/** An attempt that ended. */
export interface Attempted {
  recipientSeq: number;
  result: AttemptResult;
}

export interface DisabledRecipient {
  id: string;
  name: string;
  failingSince: Instant;
}

export function createHealth({
  database,
  disableAfterMs,
}: {
  database: Database;
  /** Duration of uninterrupted failure after which a recipient is disabled; null for never. */
  disableAfterMs: number | null;
}): Health {
  const bySeq = eq(recipients.seq, value(recipients.seq));
  const succeed = statement(database, (query) =>
    query
      .update(recipients)
      .set({ consecutiveFailures: 0, failingSince: null })
      .where(and(bySeq, gt(recipients.consecutiveFailures, 0))),
  );
  const fail = statement(database, (query) =>
    query
      .update(recipients)
      .set({
        consecutiveFailures: sql`${recipients.consecutiveFailures} + ${value(recipients.consecutiveFailures, "failures")}`,
        failingSince: sql`coalesce(${recipients.failingSince}, ${value(recipients.failingSince, "since")})`,
      })
      .where(bySeq),
  );
  const disable = statement(database, (query) =>
    query
      .update(recipients)
      .set({
        enabled: false,
        disabledReason: "failing",
        disabledAt: value(recipients.disabledAt, "now"),
        updatedAt: value(recipients.updatedAt, "now"),
      })
      .where(
        and(
          bySeq,
          eq(recipients.enabled, true),
          lte(recipients.failingSince, value(recipients.failingSince, "latest")),
        ),
      )
      .returning({ id: recipients.id, name: recipients.name, failingSince: recipients.failingSince }),
  );

  return {
    update(attempts, now) {
      const byRecipient = Map.groupBy(attempts, (attempt) => attempt.recipientSeq);
      const disabled = [];
      for (const [seq, own] of byRecipient) {
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
