import type { Subscription } from "../../../../messaging/subscriptions/subscriptions/store.ts";
import { capitalized } from "../../../../platform/lib/wording.ts";
import {
  timeOfDay,
  type SubscriptionRules,
} from "../../../../messaging/subscriptions/subscriptions/rules.ts";
import type { SubscriptionSettings } from "../../../../messaging/subscriptions/subscriptions/writer.ts";
import { weekdays, type Weekday } from "../../../../platform/vocabulary/channels.ts";
import { noticeTypes, type NoticeType } from "../../../../platform/vocabulary/events.ts";
import { EntryLink } from "../../kit/components.tsx";
import { StateMark, Text } from "../../kit/inline.tsx";
import { channelPath, subscriptionPath } from "../../kit/paths.ts";
import { column, type Column } from "../../kit/table.tsx";
import { choicesOf } from "../../kit/form.tsx";
import { filterPhrases } from "../../threat-kit/event-filter.tsx";
import texts from "./words.json" with { type: "json" };

/** Whether a subscription sends messages. */
export function SubscriptionState({
  subscription: { enabled, disabledReason, channel },
}: {
  subscription: Pick<Subscription, "enabled" | "disabledReason" | "channel">;
}) {
  if (!enabled)
    return (
      <>
        <StateMark tone="neutral" icon="pause">
          Disabled
        </StateMark>
        <p class="hide-s">
          {disabledReason === "undeclared" ? "no longer in the configuration file" : "paused by a person"}
        </p>
      </>
    );
  if (channel.enabled) return <StateMark tone="good">Enabled</StateMark>;
  return (
    <>
      <StateMark tone="warn">Waiting</StateMark>
      <p class="hide-s">the channel is disabled</p>
    </>
  );
}

const nameColumn: Column<Subscription> = column("Subscription", "title", (subscription) => (
  <EntryLink path={subscriptionPath(subscription.id)} entry={subscription} />
));
const contentColumns: Column<Subscription>[] = [
  column("Events", "wide under", (subscription) => whatOf(subscription)),
  column("When", "hidden", (subscription) => whenOf(subscription)),
];
const channelColumn: Column<Subscription> = column("Channel", "end", ({ channel: { id, name } }) => (
  <a href={channelPath(id)}>
    <Text text={name} />
  </a>
));
const stateColumn: Column<Subscription> = column("State", "state", (subscription) => (
  <SubscriptionState subscription={subscription} />
));

/** Columns of a table of subscriptions. */
export const subscriptionColumns = [nameColumn, ...contentColumns, channelColumn, stateColumn];
/** The same without the channel, for the page of a channel. */
export const columnsInChannel = [nameColumn, ...contentColumns, stateColumn];

/** Words for subscriptions. */

/** How each type is named in a sentence, in the plural. */
const noticeLabels: Record<NoticeType, string> = texts.types;

/** Types by subject, in the order of forms and sentences. */
export const noticeGroups = texts.groups.map(({ prefixes, ...group }) => ({
  ...group,
  types: noticeTypes.filter((type) => prefixes.some((prefix) => type.startsWith(prefix))),
}));

const weekdayLabels: Record<Weekday, string> = texts.weekdays;
export const weekdayChoices = choicesOf(weekdays, (day) => weekdayLabels[day]);

/** Maximum number of event types that a sentence names one by one. */
const namedMax = 4;

/** Returns a type as a label: "New threats". */
export const noticeLabel = (type: NoticeType) => capitalized(noticeLabels[type]);

/** Describes a subscription in one sentence: "New threats, at least high, at once, to team-chat". */
export function sentenceOf({ channel, ...settings }: SubscriptionSettings): string {
  return [whatOf(settings), whenOf(settings), `to ${channel}`].join(", ");
}

/** Describes the events: "New threats, at least high", "New threats (at least high) and failed scans". */
export function whatOf({ events, filter }: Pick<SubscriptionRules, "events" | "filter">): string {
  const groups = noticeGroups.flatMap((group) => {
    const chosen = group.types.filter((type) => events.includes(type));
    return chosen.length === 0 ? [] : [{ ...group, chosen }];
  });
  const named = groups.reduce(
    (sum, { chosen, types }) => sum + (chosen.length === types.length ? 1 : chosen.length),
    0,
  );
  const parts = groups.flatMap(({ name, all, some, chosen, types }) => {
    const phrases = name === "threats" ? filterPhrases(filter) : [];
    const isAll = chosen.length === types.length;
    const words = isAll ? [all] : named > namedMax ? [some] : chosen.map((type) => noticeLabels[type]);
    if (phrases.length === 0) return words;
    const what = listed(words);
    return [groups.length === 1 ? [what, ...phrases].join(", ") : `${what} (${phrases.join(", ")})`];
  });
  return capitalized(listed(parts));
}

/** Describes when messages are sent: "daily at 08:00 UTC on weekdays". */
export function whenOf(
  given: Pick<SubscriptionRules, "digest" | "at" | "weekdays" | "timeZone" | "quietHours">,
): string {
  const { digest, at, weekdays: days, timeZone, quietHours } = given;
  const base = { none: "at once", hourly: "hourly", daily: `daily at ${timeOfDay(at)}` }[digest];
  const onDays = days.length === 0 || days.length === weekdays.length ? "" : ` ${daysText(days)}`;
  const quiet =
    quietHours === null ? "" : `, not between ${timeOfDay(quietHours.from)} and ${timeOfDay(quietHours.to)}`;
  const isLocal = digest === "daily" || onDays !== "" || quiet !== "";
  return `${base}${onDays}${quiet}${isLocal ? ` (${timeZone})` : ""}`;
}

function daysText(days: readonly Weekday[]): string {
  const names = weekdays.filter((day) => days.includes(day));
  if (names.join() === "mon,tue,wed,thu,fri") return "on weekdays";
  if (names.join() === "sat,sun") return "on weekends";
  return `on ${listed(names.map((day) => weekdayLabels[day]))}`;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
