import { eq } from "drizzle-orm";
import { system } from "../../access/audit/actor.ts";
import type { AuditLog } from "../../access/audit/audit-log.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Database } from "../../platform/database/database.ts";
import { hasValue, statement } from "../../platform/database/statement.ts";
import { type Clock, createJumpDetector, type Instant } from "../../platform/lib/clock.ts";
import { formatDuration } from "../../platform/lib/durations.ts";
import { retentionNotices, type RetentionRule, retentionRules } from "./tables.ts";

/** Stores since when each setting is known. */
export type Notices = ReturnType<typeof createNotices>;

/** A clock that was set forward makes everything older. Smaller steps are corrections of a clock. */
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
  const ofRule = hasValue(retentionNotices.rule);
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

/** Time from a new or shorter setting to the first deletion. */
export const noticeMs = 24 * 3_600_000;

/** A setting as it was seen, in milliseconds. */
export interface Notice {
  ageMs: number;
  /** When the setting was first seen, or became shorter. */
  since: Instant;
  /** Age that was in effect before, and is during the notice; null: none. */
  previousAgeMs: number | null;
}

/** Returns the age in the configuration, or null if the rule is off. */
export function settingOf(rule: RetentionRule, { retention }: Pick<Config, "retention">): number | null {
  return {
    false_positives: retention.falsePositivesMs,
    resolved: retention.resolvedMs,
    screenshots: retention.screenshotsMs,
    audit: retention.auditMs,
  }[rule];
}

/**
 * Returns the notice that follows from a setting; undefined: the rule is off. A longer setting deletes a part of what a
 * shorter one does, so that it takes effect without a new notice.
 * @param isForward whether the clock was set forward, which makes everything older: the notice begins again, so that a
 *   wrong clock deletes nothing before it can be corrected
 * @param restoredAt when the database was last restored from a backup, as far as known: the notice begins again, as a
 *   restore may bring back data that people still want to see
 */
export function nextNotice(
  known: Notice | undefined,
  settingMs: number | null,
  { isForward, now, restoredAt }: { isForward: boolean; now: Instant; restoredAt: Instant | undefined },
): Notice | undefined {
  if (settingMs === null) return undefined;
  if (known === undefined) return { ageMs: settingMs, since: now, previousAgeMs: null };
  if (isForward) return { ageMs: settingMs, since: now, previousAgeMs: null };
  if (restoredAt !== undefined && restoredAt > known.since && restoredAt <= now)
    return { ageMs: settingMs, since: restoredAt, previousAgeMs: null };
  // The clock was set back.
  const present = known.since > now ? { ...known, since: now } : known;
  if (settingMs >= present.ageMs) return { ...present, ageMs: settingMs };
  return { ageMs: settingMs, since: now, previousAgeMs: ageInEffect(present, now) };
}

/** Returns the age of the data that may be deleted now; null: none. */
export function ageInEffect({ ageMs, since, previousAgeMs }: Notice, now: Instant): number | null {
  if (now >= since + noticeMs) return ageMs;
  return previousAgeMs === null ? null : Math.max(previousAgeMs, ageMs);
}
