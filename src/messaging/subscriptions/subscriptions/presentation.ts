import {
  originText,
  presentTexts,
  stateText,
  type EntryPresentation,
} from "../../../access/entries/presentation.ts";
import type { Channels } from "../../channels/all/channels.ts";
import { readHours, readTimeOfDay } from "../../../platform/config/fields/notification-texts.ts";
import { jsonFields } from "../../../platform/lib/key-names.ts";
import { optionalIsoTime, toIsoTime } from "../../../platform/lib/clock.ts";
import { digests, weekdays } from "../../../platform/vocabulary/channels.ts";
import { noticeTypes } from "../../../platform/vocabulary/events.ts";
import { filterText } from "../../../threats/events/event-filter.ts";
import texts from "./presentation.json" with { type: "json" };
import { timeOfDay } from "./rules.ts";
import type { Subscription } from "./store.ts";
import type { Subscriptions } from "./subscriptions.ts";

interface Services {
  channels: Pick<Channels, "label">;
  notifications: { subscriptions: Subscriptions };
}

export const subscriptionPresentation: EntryPresentation<Subscription, Services> = {
  ...presentTexts(texts, {
    events: { choices: noticeTypes },
    digest: { choice: digests },
    at: { parse: readTimeOfDay },
    weekdays: { choices: weekdays },
    quietHours: { parse: (text) => (text === "" ? { value: null } : readHours(text)) },
  }),
  service: ({ notifications }) => notifications.subscriptions,
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
