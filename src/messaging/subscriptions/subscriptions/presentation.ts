import {
  originText,
  stateText,
  type EntryPresentation,
  disabledField,
  field,
  filterField,
} from "../../../access/entries/presentation.ts";
import type { Channels } from "../../channels/all/channels.ts";
import { readHours, readTimeOfDay } from "../../../platform/config/fields/notification-texts.ts";
import { jsonFields } from "../../../platform/lib/key-names.ts";
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
    },
    change: {
      summary: "change a subscription",
    },
    list: { summary: "list subscriptions", purpose: "subscriptions and their state" },
    show: { summary: "show a subscription" },
    remove: { summary: "remove a subscription; messages that were composed are still sent" },
    enable: { summary: "enable a subscription" },
    disable: {
      summary: "disable a subscription; what waits for its next message is dropped",
    },
  },
  fields: [
    field("channel", "text", "--channel <channel>", "channel that is sent the messages (required)", {
      in: ["add"],
      required: "--channel is required: the channel that is sent the messages",
    }),
    field("channel", "text", "--channel <channel>", "another channel", { in: ["change"] }),
    field("events", { choices: noticeTypes }, "--event <type>", "events of this type"),
    filterField,
    field("digest", { choice: digests }, "--digest <period>", "one message for each period; none: at once"),
    field("at", { parse: readTimeOfDay }, "--at <time>", "time of a daily digest, such as 08:00"),
    field("weekdays", { choices: weekdays }, "--weekday <day>", "send messages on this day only"),
    field("timeZone", "text", "--time-zone <zone>", "time zone of the times, such as Europe/Berlin"),
    field(
      "quietHours",
      { parse: (text) => (text === "" ? { value: null } : readHours(text)) },
      "--quiet-hours <hours>",
      `hours in which messages wait, such as 22:00-07:00; "" for none`,
    ),
    field("filter", "all_threats", "--all-threats", "remove all filters, before others are set", {
      in: ["change"],
    }),
    field("weekdays", { clear: [] }, "--every-day", "send messages on every day", { in: ["change"] }),
    disabledField,
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
    ...jsonFields(subscription, "id name"),
    channel: subscription.channel.name,
    ...jsonFields(subscription, "events"),
    ...jsonFields(subscription.filter, "minSeverity protectedDomains types sources verifiedOnly"),
    digest: subscription.digest,
    at: timeOfDay(subscription.at),
    ...jsonFields(subscription, "weekdays timeZone"),
    quiet_hours: quietHoursText(subscription),
    ...jsonFields(subscription, "enabled disabledReason origin lastMessageAt createdAt"),
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
