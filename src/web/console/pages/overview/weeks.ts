import { dayMs, startOfDay, type Instant } from "../../../../platform/lib/clock.ts";

export const weekMs = 7 * dayMs;

/** Returns the start of the week (Monday, UTC) that contains a time. */
export function startOfWeek(at: Instant): Instant {
  const day = startOfDay(at);
  return day - ((new Date(day).getUTCDay() + 6) % 7) * dayMs;
}
