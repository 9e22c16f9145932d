import { eq } from "drizzle-orm";
import { system } from "../../access/audit/actor.ts";
import type { AuditLog } from "../../access/audit/audit-log.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Database } from "../../platform/database/database.ts";
import { statement, value } from "../../platform/database/statement.ts";
import { createJumpDetector, type Clock } from "../../platform/lib/clock.ts";
import { formatDuration } from "../../platform/lib/durations.ts";
import {
  ageInEffect,
  nextNotice,
  retentionRules,
  settingOf,
  type Notice,
  type RetentionRule,
} from "./rules.ts";
import { retentionNotices } from "./tables.ts";

/** Stores since when each setting is known. */
export type Notices = ReturnType<typeof createNotices>;

/** A clock that was set forward makes everything older. Smaller steps are those of a clock that is corrected. */
const forwardMsMin = 3_600_000;

export function createNotices({
  auditLog,
  clock,
  config,
  database,
}: {
  auditLog: Pick<AuditLog, "list" | "record">;
  clock: Pick<Clock, "monotonicMs" | "now">;
  config: Pick<Config, "retention">;
  database: Database;
}) {
  const { query } = database;
  const ofRule = eq(retentionNotices.rule, value(retentionNotices.rule));
  const find = statement(database, (builder) => builder.select().from(retentionNotices).where(ofRule));
  const restoredAt = () => auditLog.list({ action: "backup.restore" }, { limit: 1, offset: 0 })[0]?.at;

  const jumpedMs = createJumpDetector(clock);
  /** Whether the clock was set forward since settings were stored last. */
  let isForward = false;

  /** Records the counts in the audit log. Must run within a transaction. */
  function recordCounts(): void {
    for (const { rule, unrecorded, ageMs } of query.select().from(retentionNotices).all()) {
      if (unrecorded === 0) continue;
      const detail = { count: unrecorded, age: formatDuration(ageMs) };
      auditLog.record(system, "retention.delete", `retention.${rule}`, detail);
      query.update(retentionNotices).set({ unrecorded: 0 }).where(eq(retentionNotices.rule, rule)).run();
    }
  }

  return {
    /** Stores changed settings, and records deletions of an earlier run. Must run within a transaction. */
    settle() {
      recordCounts();
      isForward ||= jumpedMs() >= forwardMsMin;
      database.afterCommit(() => (isForward = false));
      for (const rule of retentionRules) {
        const known = find.get({ rule });
        const next = nextNotice(known, settingOf(rule, config), {
          now: clock.now(),
          restoredAt: restoredAt(),
          isForward,
        });
        if (next === undefined) {
          if (known !== undefined)
            query.delete(retentionNotices).where(eq(retentionNotices.rule, rule)).run();
        } else if (known === undefined || !isSame(known, next)) {
          const { ageMs, since, previousAgeMs } = next;
          const row = { ageMs, since, previousAgeMs };
          query
            .insert(retentionNotices)
            .values({ rule, ...row })
            .onConflictDoUpdate({ target: retentionNotices.rule, set: row })
            .run();
        }
      }
    },

    /** Returns the notice of a setting; undefined: off, or not seen by the server yet. */
    find: (rule: RetentionRule): Notice | undefined => find.get({ rule }),

    /** Returns the age of the data that may be deleted now; null: none. */
    ageInEffect(rule: RetentionRule) {
      const setting = settingOf(rule, config);
      const notice = find.get({ rule });
      const age = notice === undefined ? null : ageInEffect(notice, clock.now());
      // A reload may have changed the setting since it was stored.
      return setting === null || age === null ? null : Math.max(setting, age);
    },

    /** Counts deletions. Must run in their transaction. */
    count(rule: RetentionRule, deleted: number) {
      const known = find.get({ rule });
      if (known === undefined) return;
      query
        .update(retentionNotices)
        .set({ unrecorded: known.unrecorded + deleted })
        .where(eq(retentionNotices.rule, rule))
        .run();
    },
    recordCounts,
  };
}

function isSame(one: Notice, other: Notice): boolean {
  return one.ageMs === other.ageMs && one.since === other.since && one.previousAgeMs === other.previousAgeMs;
}
