import type { Channels } from "../../messaging/channels/all/channels.ts";
import { optionalIsoTime, toIsoTime } from "../../platform/lib/clock.ts";
import { timeOfDay } from "../../messaging/subscriptions/subscriptions/rules.ts";
import type { Subscription } from "../../messaging/subscriptions/subscriptions/store.ts";
import type { Column } from "../terminal/table.ts";
import { filterShape, filterText } from "./filter-flags.ts";
import { originText } from "./recipient-state.ts";

export const columns: Column<Subscription>[] = [
  { title: "ID", cell: ({ id }) => id },
  { title: "NAME", cell: ({ name }) => name, elastic: true },
  { title: "CHANNEL", cell: ({ channel }) => channel.name, elastic: true },
  { title: "EVENTS", cell: ({ events }) => events.join(" "), elastic: true },
  { title: "FILTER", cell: ({ filter }) => filterText(filter) ?? "all", elastic: true },
  {
    title: "SENT",
    cell: (subscription) => {
      const quiet = quietHoursText(subscription);
      return `${timingText(subscription)}${quiet === null ? "" : `, not ${quiet}`}`;
    },
  },
  { title: "FROM", cell: originText },
  { title: "STATE", cell: (subscription) => state(subscription) },
];

function state({ enabled, disabledReason, channel }: Subscription): string {
  if (!enabled) return disabledReason === null ? "disabled" : `disabled (${disabledReason})`;
  return channel.enabled ? "enabled" : "channel disabled";
}

function timingText({ digest, at }: Subscription): string {
  return digest === "none" ? "at once" : digest === "daily" ? `daily at ${timeOfDay(at)}` : digest;
}

function quietHoursText({ quietHours }: Subscription): string | null {
  return quietHours === null ? null : `${timeOfDay(quietHours.from)}-${timeOfDay(quietHours.to)}`;
}

/** Returns what there is to know about a subscription. */
export function subscriptionFacts(
  subscription: Subscription,
  { label }: Pick<Channels, "label">,
): [name: string, value: string | null][] {
  const { id, name, channel, events, weekdays, timeZone, lastMessageAt, createdAt } = subscription;
  return [
    ["id", id],
    ["name", name],
    ["channel", `${channel.name} (${label(channel.type)})`],
    ["events", events.join(", ")],
    ["filter", filterText(subscription.filter) ?? "all threats"],
    ["sent", timingText(subscription)],
    ["weekdays", weekdays.join(", ") || "every day"],
    ["quiet hours", quietHoursText(subscription)],
    ["time zone", timeZone],
    ["from", originText(subscription)],
    ["state", state(subscription)],
    ["last message", optionalIsoTime(lastMessageAt)],
    ["created", toIsoTime(createdAt)],
  ];
}

/** Returns the JSON form in command output; programs read its field names. */
export function shape(subscription: Subscription) {
  const { id, name, channel, events, filter, digest, at, weekdays, timeZone, lastMessageAt } = subscription;
  return {
    id,
    name,
    channel: channel.name,
    events,
    ...filterShape(filter),
    digest,
    at: timeOfDay(at),
    weekdays,
    time_zone: timeZone,
    quiet_hours: quietHoursText(subscription),
    enabled: subscription.enabled,
    disabled_reason: subscription.disabledReason,
    origin: subscription.origin,
    last_message_at: optionalIsoTime(lastMessageAt),
    created_at: toIsoTime(subscription.createdAt),
  };
}
