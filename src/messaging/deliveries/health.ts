import { and, eq, gt, sql } from "drizzle-orm";
import type { Database } from "../../platform/database/database.ts";
import { columnsOf, hasValue, statement, value } from "../../platform/database/statement.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import type { AttemptResult } from "./channel.ts";
import type { HealthChange } from "./rules/failure-report.ts";
import { breakerFailures, probeDelayMs } from "./rules/retry-schedule.ts";
import { toLastFailure } from "./rules/recipient-state.ts";
import { recipients } from "./store/tables.ts";

/** Counts the consecutive failures of each recipient. */
export type Health = ReturnType<typeof createHealth>;

/** An attempt that ended. */
export interface Attempted {
  recipientSeq: number;
  result: AttemptResult;
  /** Whether its delivery failed for good. */
  gaveUp: boolean;
}

interface HealthDependencies {
  database: Database;
  /**
   * `breaker`: whether deliveries to a failing recipient are held behind one probe. `disableAfterMs`: duration of
   * uninterrupted failure after which a recipient is disabled; null for never.
   */
  settings: { breaker: boolean; disableAfterMs: number | null };
}

export function createHealth({ database, settings }: HealthDependencies) {
  const { before, succeed, fail, disable } = prepare(database);

  function fails(seq: number, last: AttemptResult, count: number, since: Instant, now: Instant) {
    const lastFailure = toLastFailure(last);
    // A receiver that rejects one message responds, so the next one need not wait.
    const isHeld = settings.breaker && count >= breakerFailures && last.consequence !== "drop";
    const nextProbeAt = isHeld ? now + probeDelayMs(now - since) : null;
    fail.run({ seq, count, since, lastFailure, nextProbeAt });
    const reason = disablingReason(last, since, now);
    const isDisabled = reason !== null && disable.get({ seq, now, reason }) !== undefined;
    const disabled = isDisabled ? reason : null;
    return { failures: count, failingSince: since, lastFailure, nextProbeAt, disabled };
  }

  function disablingReason(last: AttemptResult, since: Instant, now: Instant): HealthChange["disabled"] {
    if (isGone(last)) return "gone";
    const { disableAfterMs } = settings;
    return disableAfterMs !== null && since <= now - disableAfterMs ? "failing" : null;
  }

  return {
    /**
     * Counts attempts, sorted by their end, within the transaction that records them.
     * @returns what changed, for each recipient that failed or recovered
     */
    update(attempts: readonly Attempted[], now: Instant) {
      const changes: HealthChange[] = [];
      for (const [seq, own] of Map.groupBy(attempts, (attempt) => attempt.recipientSeq)) {
        const known = before.get({ seq });
        if (known === undefined) continue;
        const { id, name, channel, nextProbeAt } = known;
        const lastSuccess = own.findLastIndex(({ result }) => result.failure === null);
        // A success at about the same time does not change that the receiver is gone.
        const gone = own.findLast(({ result }) => isGone(result));
        const failed = own.slice(lastSuccess + 1);
        if (failed.length === 0 && gone !== undefined) failed.push(gone);
        const hasSucceeded = lastSuccess !== -1;
        if (hasSucceeded && known.failures > 0) succeed.run({ seq });
        if (failed.length === 0 && known.failures === 0) continue;
        const gaveUp = own.filter((attempt) => attempt.gaveUp).length;
        const base = { id, name, channel, failuresBefore: known.failures, gaveUp };
        if (failed.length === 0) {
          const state = { failures: 0, failingSince: known.since, lastFailure: null, nextProbeAt };
          changes.push({ ...base, ...state, disabled: null });
          continue;
        }
        const count = (hasSucceeded ? 0 : known.failures) + failed.length;
        const since = (hasSucceeded ? null : known.since) ?? failed[0]!.result.startedAt;
        changes.push({ ...base, ...fails(seq, (gone ?? failed.at(-1)!).result, count, since, now) });
      }
      return changes;
    },
  };
}

function isGone({ failure, consequence }: AttemptResult): boolean {
  return failure !== null && consequence === "disable";
}

function prepare(database: Database) {
  const bySeq = hasValue(recipients.seq);
  const before = statement(database, (query) =>
    query
      .select({
        ...columnsOf(recipients, "id name channel nextProbeAt"),
        failures: recipients.consecutiveFailures,
        since: recipients.failingSince,
      })
      .from(recipients)
      .where(bySeq),
  );
  const succeed = statement(database, (query) =>
    query
      .update(recipients)
      .set({ consecutiveFailures: 0, failingSince: null, lastFailure: null })
      .where(and(bySeq, gt(recipients.consecutiveFailures, 0))),
  );
  const fail = statement(database, (query) =>
    query
      .update(recipients)
      .set({
        consecutiveFailures: value(recipients.consecutiveFailures, "count"),
        failingSince: value(recipients.failingSince, "since"),
        lastFailure: value(recipients.lastFailure),
        // A recovery that has begun is not forgotten.
        nextProbeAt: sql`coalesce(${value(recipients.nextProbeAt)}, ${recipients.nextProbeAt})`,
      })
      .where(bySeq),
  );
  const disable = statement(database, (query) =>
    query
      .update(recipients)
      .set({
        enabled: false,
        disabledReason: value(recipients.disabledReason, "reason"),
        disabledAt: value(recipients.disabledAt, "now"),
        updatedAt: value(recipients.updatedAt, "now"),
      })
      .where(and(bySeq, eq(recipients.enabled, true)))
      .returning({ seq: recipients.seq }),
  );
  return { before, succeed, fail, disable };
}
