import type { Instant } from "../../../platform/lib/clock.ts";

const secondMs = 1_000;
const serialValues = 2 ** 32;
/** RFC 1982: a serial is greater than another one if the distance is smaller than this. */
const serialStepMax = 2 ** 31 - 1;

/**
 * Returns the time of a change as it is published, in whole seconds: the present time, but always later than the
 * change before, and with a greater serial. The clock may have been set back, or may have been wrong
 * by decades.
 */
export function nextChange(before: Instant, now: Instant): Instant {
  const previous = Math.floor(before / secondMs);
  const current = Math.floor(now / secondMs);
  return Math.min(Math.max(previous + 1, current), previous + serialStepMax) * secondMs;
}

/** Returns the serial of a zone (32 bits, RFC 1982) whose content changed at this time. */
export function serialOf(changedAt: Instant): number {
  return Math.floor(changedAt / secondMs) % serialValues;
}
