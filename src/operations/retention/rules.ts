import type { Config } from "../../platform/config/config.ts";
import type { Instant } from "../../platform/lib/clock.ts";

/** Settings of the retention of the main data, named as in the configuration. */
export const retentionRules = ["false_positives", "resolved", "screenshots", "audit"] as const;
export type RetentionRule = (typeof retentionRules)[number];

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
 *   wrong clock deletes nothing before somebody can correct it
 * @param restoredAt when the database was last restored from a backup, as far as known: the notice begins again, as a
 *   restore may bring back what somebody still wants to see
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
