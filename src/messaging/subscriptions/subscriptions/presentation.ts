import {
  jsonOf,
  originText,
  stateText,
  type EntryPresentation,
} from "../../../access/entries/presentation.ts";
import type { Channels } from "../../channels/all/channels.ts";
import { readHours, readTimeOfDay } from "../../../platform/config/fields/notification-texts.ts";
import { optionalIsoTime, toIsoTime } from "../../../platform/lib/clock.ts";
import { digests, weekdays } from "../../../platform/vocabulary/channels.ts";
import { noticeTypes } from "../../../platform/vocabulary/events.ts";
import { filterText } from "../../../threats/events/event-filter.ts";
import { timeOfDay } from "./rules.ts";
import type { Subscription } from "./store.ts";
import type { Subscriptions } from "./subscriptions.ts";

interface Services {
  channels: Pick<Channels, "label">;
  notifications: { subscriptions: Subscriptions };
}

export const subscriptionPresentation: EntryPresentation<Subscription, Services> = {
  noun: "subscription",
  group: "subscriptions",
  summary: "which events channels are sent, and when",
  example: "urgent",
  service: ({ notifications }) => notifications.subscriptions,
  commands: {
    add: {
      summary: "add a subscription",
      details:
        "Without settings, the channel is sent new threats at once. A running server uses the subscription at once.",
      examples: [
        [
          "phishwatch subscriptions add urgent --channel team-chat --min-severity high",
          "severe threats at once",
        ],
        [
          "phishwatch subscriptions add morning --channel soc-mail --digest daily --at 08:00 --time-zone Europe/Berlin",
          "everything else once a day",
        ],
      ],
    },
    change: {
      summary: "change a subscription",
      details: "Changes only what is given. A running server uses the changes at once.",
      examples: [
        ["phishwatch subscriptions change urgent --quiet-hours 22:00-07:00", "no messages at night"],
        ["phishwatch subscriptions change urgent --all-threats --verified-only", "another filter"],
      ],
    },
    list: { summary: "list subscriptions", purpose: "subscriptions and their state" },
    show: { summary: "show a subscription" },
    remove: { summary: "remove a subscription; messages that were composed are still sent" },
    enable: { summary: "enable a subscription" },
    disable: {
      summary: "disable a subscription; what waits for its next message is dropped",
      details:
        "Works for declared subscriptions, too. A subscription stays disabled, across restarts, until it is enabled.",
    },
  },
  fields: [
    {
      name: "channel",
      type: "text",
      in: ["add"],
      option: "--channel <channel>",
      description: "channel that is sent the messages (required)",
      required: "--channel is required: the channel that is sent the messages",
    },
    {
      name: "channel",
      type: "text",
      in: ["change"],
      option: "--channel <channel>",
      description: "another channel",
    },
    {
      name: "events",
      type: "choices",
      values: noticeTypes,
      option: "--event <type>",
      description: "events of this type",
    },
    { name: "filter", type: "filter" },
    {
      name: "digest",
      type: "choice",
      values: digests,
      plural: "periods",
      option: "--digest <period>",
      description: "one message for each period; none: at once",
    },
    {
      name: "at",
      type: "parsed",
      read: readTimeOfDay,
      option: "--at <time>",
      description: "time of a daily digest, such as 08:00",
    },
    {
      name: "weekdays",
      type: "choices",
      values: weekdays,
      option: "--weekday <day>",
      description: "send messages on this day only",
    },
    {
      name: "timeZone",
      type: "text",
      option: "--time-zone <zone>",
      description: "time zone of the times, such as Europe/Berlin",
    },
    {
      name: "quietHours",
      type: "parsed",
      read: (text) => (text === "" ? { value: null } : readHours(text)),
      option: "--quiet-hours <hours>",
      description: `hours in which messages wait, such as 22:00-07:00; "" for none`,
    },
    {
      name: "filter",
      type: "all_threats",
      in: ["change"],
      option: "--all-threats",
      description: "remove all filters, before others are set",
    },
    {
      name: "weekdays",
      type: "clear",
      value: [],
      in: ["change"],
      option: "--every-day",
      description: "send messages on every day",
    },
  ],
  columns: () => [
    { title: "channel", cell: ({ channel }) => channel.name, elastic: true },
    { title: "events", cell: ({ events }) => events.join(" "), elastic: true },
    { title: "filter", cell: ({ filter }) => filterText(filter) ?? "all", elastic: true },
    { title: "sent", cell: sentText },
    { title: "from", cell: originText },
    { title: "state", cell: subscriptionState },
  ],
  facts: (subscription, { channels }) => [
    ["channel", `${subscription.channel.name} (${channels.label(subscription.channel.type)})`],
    ["events", subscription.events.join(", ")],
    ["filter", filterText(subscription.filter) ?? "all threats"],
    ["sent", timingText(subscription)],
    ["weekdays", subscription.weekdays.join(", ") || "every day"],
    ["quiet hours", quietHoursText(subscription)],
    ["time zone", subscription.timeZone],
    ["from", originText(subscription)],
    ["state", subscriptionState(subscription)],
    ["last message", optionalIsoTime(subscription.lastMessageAt)],
    ["created", toIsoTime(subscription.createdAt)],
  ],
  json: (subscription) => ({
    ...jsonOf(subscription, "id", "name"),
    channel: subscription.channel.name,
    events: subscription.events,
    ...jsonOf(subscription.filter, "minSeverity", "protectedDomains", "types", "sources", "verifiedOnly"),
    digest: subscription.digest,
    at: timeOfDay(subscription.at),
    ...jsonOf(subscription, "weekdays", "timeZone"),
    quiet_hours: quietHoursText(subscription),
    ...jsonOf(subscription, "enabled", "disabledReason", "origin"),
    last_message_at: optionalIsoTime(subscription.lastMessageAt),
    created_at: toIsoTime(subscription.createdAt),
  }),
};

function subscriptionState(subscription: Subscription): string {
  const isWaiting = subscription.enabled && !subscription.channel.enabled;
  return isWaiting ? "channel disabled" : stateText(subscription);
}

function timingText({ digest, at }: Subscription): string {
  return digest === "none" ? "at once" : digest === "daily" ? `daily at ${timeOfDay(at)}` : digest;
}

function quietHoursText({ quietHours }: Subscription): string | null {
  return quietHours === null ? null : `${timeOfDay(quietHours.from)}-${timeOfDay(quietHours.to)}`;
}

function sentText(subscription: Subscription): string {
  const quiet = quietHoursText(subscription);
  return `${timingText(subscription)}${quiet === null ? "" : `, not ${quiet}`}`;
}
