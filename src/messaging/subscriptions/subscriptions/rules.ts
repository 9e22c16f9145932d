import { readTimeZone } from "../../../platform/config/fields/notification-texts.ts";
import { checkName, checkFilter, inOrder } from "../../deliveries/rules/recipient-rules.ts";
import { badRequest } from "../../../platform/lib/errors.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { digests, weekdays, type Weekday } from "../../../platform/vocabulary/channels.ts";
import { noticeTypes, type NoticeType } from "../../../platform/vocabulary/events.ts";
import type { subscriptions } from "./tables.ts";

/** Rules for the settings of subscriptions. All throw PublicError `bad_request` with what to change. */

export const idPrefix = "sub";
const minutesPerDay = 1_440;

type Row = typeof subscriptions.$inferSelect;

/** Settings of a subscription except its channel. Times of day are minutes since midnight. */
export interface SubscriptionRules extends Pick<Row, "filter" | "digest" | "at" | "timeZone" | "quietHours"> {
  events: readonly NoticeType[];
  weekdays: readonly Weekday[];
}

export function checkSubscriptionName(name: string): string {
  return checkName(name, [idPrefix]);
}

/** Returns the settings in their normal form. */
export function checkRules(rules: SubscriptionRules) {
  const { digest, at, timeZone, quietHours } = rules;
  const events = inOrder(noticeTypes, rules.events, "event type");
  if (events.length === 0) throw badRequest(`a subscription needs an event type, such as ${noticeTypes[0]}`);
  if (!digests.includes(digest)) throw badRequest(`the digest must be one of ${digests.join(", ")}`);
  checkTime(at, "the time of a daily digest");
  const zone = readTimeZone(timeZone);
  if ("allowed" in zone)
    throw badRequest(`the time zone must be ${zone.allowed}, not "${visible(timeZone, 60)}"`);
  if (quietHours !== null) {
    checkTime(quietHours.from, "the start of the quiet hours");
    checkTime(quietHours.to, "the end of the quiet hours");
    if (quietHours.from === quietHours.to)
      throw badRequest(`the quiet hours must be two different times such as "22:00-07:00"`);
  }
  return {
    events,
    filter: checkFilter(rules.filter),
    digest,
    at,
    weekdays: inOrder(weekdays, rules.weekdays, "weekday"),
    timeZone: zone.value,
    quietHours: quietHours === null ? null : { from: quietHours.from, to: quietHours.to },
  };
}

function checkTime(minutes: number, what: string): void {
  if (!Number.isInteger(minutes) || minutes < 0 || minutes >= minutesPerDay)
    throw badRequest(`${what} must be a time such as "08:00"`);
}

/** Formats minutes since midnight: `08:00`. */
export function timeOfDay(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
}
