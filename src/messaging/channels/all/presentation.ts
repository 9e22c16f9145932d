import { presentTexts, type EntryPresentation } from "../../../access/entries/presentation.ts";
import {
  stateColumns,
  stateFacts,
  stateJson,
} from "../../deliveries/administration/recipient-presentation.ts";
import { jsonFields } from "../../../platform/lib/key-names.ts";
import { toIsoTime } from "../../../platform/lib/clock.ts";
import { channelTypes } from "../../../platform/vocabulary/channels.ts";
import type { ChannelTarget } from "../http/notice-type.ts";
import type { ChannelRecipient, Channels, NewChannel } from "./channels.ts";
import texts from "./presentation.json" with { type: "json" };

interface Services {
  channels: Channels;
  notifications: { subscriptions: { list(): { name: string; channel: { id: string } }[] } };
}

/** Returns the names of the subscriptions that are sent to a channel. */
export function subscriptionsTo({ id }: { id: string }, { notifications }: Pick<Services, "notifications">) {
  const all = notifications.subscriptions.list();
  return all.filter(({ channel }) => channel.id === id).map(({ name }) => name);
}

export const channelPresentation: EntryPresentation<ChannelRecipient, Services> = {
  ...presentTexts(texts, { type: { choice: channelTypes } }),
  service: ({ channels }) => ({
    ...channels,
    add: ({ name, type, enabled, ...target }: Omit<NewChannel, "target"> & Partial<ChannelTarget>, options) =>
      channels.add({ name, type, enabled, target }, options),
  }),
  columns: ({ channels: { label, shown } }) => [
    { title: "service", cell: ({ type }) => label(type) },
    {
      title: "target",
      cell: (channel) => shown(channel).find(({ key }) => key !== "template")?.value ?? "",
      elastic: true,
    },
    ...stateColumns,
  ],
  facts: (channel, { channels: { label, shown }, notifications }) => [
    ["service", label(channel.type)],
    ...shown(channel).map(({ key, value }): [string, string] => [key.replace("_", " "), value]),
    ["subscriptions", subscriptionsTo(channel, { notifications }).join(", ") || "none: it is sent nothing"],
    ...stateFacts(channel),
    ["created", toIsoTime(channel.createdAt)],
  ],
  json: (channel, { channels }) => ({
    ...jsonFields(channel, "id name type"),
    target: Object.fromEntries(channels.shown(channel).map(({ key, value }) => [key, value])),
    ...stateJson(channel),
    ...jsonFields(channel, "origin createdAt"),
  }),
};
