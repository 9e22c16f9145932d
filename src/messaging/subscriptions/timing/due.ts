import { dayMs, startOfDay, type Instant } from "../../../platform/lib/clock.ts";
import { weekdays, type Weekday } from "../../../platform/vocabulary/channels.ts";
import type { SubscriptionRules } from "../subscriptions/rules.ts";
import type { LocalTime } from "./local-time.ts";

/** When a subscription sends. */
export type Timing = Pick<SubscriptionRules, "digest" | "at" | "weekdays" | "quietHours">;

/** Changes that wait for the next message of a subscription. */
export interface Waiting {
  firstAt: Instant;
  lastAt: Instant;
  /** Time of the first change that must not wait for the limit of messages; null: none. */
  urgentAt: Instant | null;
  /** Whether lookups have found what there is to find out about the new threats. */
  complete: boolean;
}

/** Messages that a subscription was sent. */
export interface Sent {
  /** See `afterMessage`; 0: none was sent for long. */
  limitedUntil: Instant;
  lastAt: Instant | null;
}

/** A burst has ended when nothing was added for this long. */
export const quietMs = 5_000;
/** Maximum delay that waits for the end of a burst and for lookups. */
const gatherMsMax = 45_000;
/** Maximum number of messages in a row, and the interval of those that follow. */
export const burstMessagesMax = 5;
const messageIntervalMs = 10 * 60_000;
/** Minimum interval between messages with urgent changes: none waits for more than a minute. */
const urgentIntervalMs = 55_000;
const hourMs = 3_600_000;
const minuteMs = 60_000;

/**
 * Returns when the next message of a subscription is to be composed: now, if that is `now` or earlier. A change can
 * move it: calculate it again when something was added, or when lookups have ended.
 */
export function dueAt(waiting: Waiting, sent: Sent, timing: Timing, local: LocalTime, now: Instant): Instant {
  const { firstAt } = waiting;
  // The clock was set back.
  if (firstAt > now) return now;
  switch (timing.digest) {
    case "none":
      return nextAllowed(Math.max(now, immediateAt(waiting, sent, now)), timing, local);
    case "hourly":
      return nextAllowed(Math.max(now, nextHour(firstAt, local)), timing, local);
    case "daily":
      return nextDigest(firstAt, timing, local, now);
  }
}

function immediateAt({ firstAt, lastAt, urgentAt, complete }: Waiting, sent: Sent, now: Instant): Instant {
  const gathered = gatheredAt(firstAt, complete ? lastAt : Infinity);
  const allowed = gathered + Math.max(0, limitedUntil(sent, now) - gathered);
  if (urgentAt === null) return allowed;
  const spaced = sent.lastAt === null || sent.lastAt > now ? 0 : sent.lastAt + urgentIntervalMs;
  return Math.min(
    allowed,
    Math.max(gatheredAt(urgentAt, complete ? Math.max(lastAt, urgentAt) : Infinity), spaced),
  );
}

/** Returns when nothing was added for some seconds, or enough time has passed. */
function gatheredAt(firstAt: Instant, lastAt: Instant): Instant {
  return Math.min(firstAt + gatherMsMax, lastAt + quietMs);
}

/**
 * Returns `limitedUntil` after a message at `now`. Generic cell rate algorithm: `burstMessagesMax` messages in a row,
 * then one in each interval; every interval without a message gives one back.
 */
export function afterMessage(sent: Pick<Sent, "limitedUntil">, now: Instant): Instant {
  const limit = now + burstMessagesMax * messageIntervalMs;
  return Math.min(Math.max(now, Math.min(sent.limitedUntil, limit)) + messageIntervalMs, limit);
}

/** Returns when the next message is allowed. A time that the clock being set back made too late is brought forward. */
function limitedUntil(sent: Sent, now: Instant): Instant {
  const reserve = (burstMessagesMax - 1) * messageIntervalMs;
  return Math.min(sent.limitedUntil - reserve, now + messageIntervalMs);
}

function nextHour(after: Instant, local: LocalTime): Instant {
  return local.instant((Math.floor(local.shown(after) / hourMs) + 1) * hourMs);
}

/** Returns the time of the daily digest that contains a change at `firstAt`, or if that has passed, now or the next. */
function nextDigest(firstAt: Instant, timing: Timing, local: LocalTime, now: Instant): Instant {
  let due = nextDaily(firstAt, timing, local);
  // Missed while no server was running: sent now, if this is a day for it.
  if (due < now) due = isOn(timing.weekdays, local.shown(now)) ? now : nextDaily(now, timing, local);
  return nextAllowed(due, timing, local);
}

/** Returns the first time of a daily digest after `after` that is on a permitted weekday. */
function nextDaily(after: Instant, { at, weekdays: days }: Timing, local: LocalTime): Instant {
  const today = startOfDay(local.shown(after));
  for (let day = today; ; day += dayMs) {
    const due = local.instant(day + at * minuteMs);
    if (due > after && isOn(days, day)) return due;
  }
}

/** Returns `at`, or the end of the quiet hours and of the days without messages in which it is. */
function nextAllowed(at: Instant, { quietHours, weekdays: days }: Timing, local: LocalTime): Instant {
  if (quietHours === null && days.length === 0) return at;
  let shown = local.shown(at);
  let moved = false;
  for (;;) {
    const day = startOfDay(shown);
    const end = isOn(days, day) ? quietEnd(shown, quietHours) : day + dayMs;
    if (end === null) return moved ? Math.max(at, local.instant(shown)) : at;
    shown = end;
    moved = true;
  }
}

/** Returns the end of the quiet hours in which `shown` is; null: it is in none. */
function quietEnd(shown: number, quietHours: Timing["quietHours"]): number | null {
  if (quietHours === null) return null;
  const day = startOfDay(shown);
  const [from, to] = [quietHours.from * minuteMs, quietHours.to * minuteMs];
  const time = shown - day;
  if (from < to) return time >= from && time < to ? day + to : null;
  if (time >= from) return day + dayMs + to;
  return time < to ? day + to : null;
}

function isOn(days: readonly Weekday[], shown: number): boolean {
  // 1 January 1970 was a Thursday.
  const index = (Math.floor(shown / dayMs) + 3) % 7;
  return days.length === 0 || days.includes(weekdays[index]!);
}
