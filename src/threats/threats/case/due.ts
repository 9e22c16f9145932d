import type { CaseSettings } from "../../../platform/config/config.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { Severity } from "../../../platform/vocabulary/threats.ts";

/** Returns when a threat that becomes active now is due; null: never. */
export function dueAtFor({ dueMs }: CaseSettings, severity: Severity, now: Instant): Instant | null {
  const ms = dueMs[severity];
  return ms === null ? null : now + ms;
}

/** Returns when an active threat is due whose severity rises now: never later than before. */
export function dueAtAfterRise(
  before: Instant | null,
  settings: CaseSettings,
  { severity, now }: { severity: Severity; now: Instant },
): Instant | null {
  const dueAt = dueAtFor(settings, severity, now);
  return before === null || dueAt === null ? (dueAt ?? before) : Math.min(before, dueAt);
}
