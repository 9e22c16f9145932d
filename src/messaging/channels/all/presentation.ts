import {
  disabledField,
  field,
  type EntryField,
  type EntryPresentation,
} from "../../../access/entries/presentation.ts";
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

/** The settings, named like the keys of the configuration file. */
const settings: EntryField[] = [
  field("url", "text", "--url <url>", "address, if it contains no secret: ntfy, matrix and others"),
  field(
    "url",
    "secret",
    "--url-file <file>",
    'take the address from this file, or from standard input for "-"',
  ),
  field("token", "secret", "--token-file <file>", "take the token from this file, or from standard input"),
  field(
    "routingKey",
    "secret",
    "--routing-key-file <file>",
    "take the routing key from this file, or from standard input",
  ),
  field("chatId", "text", "--chat-id <id>", "telegram: ID or @name of the chat"),
  field("topic", "text", "--topic <topic>", "ntfy: topic"),
  field("room", "text", "--room <room>", "matrix: ID of the room"),
  field("to", "texts", "--to <address>", "email: a recipient"),
  field("template", "secret", "--template-file <file>", "template: take the template from this file"),
  field("headers", "headers", "--header <header>", `template: a custom header, as "Name: value"`),
];

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
  noun: "channel",
  group: "channels",
  summary: "channels for people and their messages",
  example: "team-chat",
  service: ({ channels }) => ({
    ...channels,
    add: ({ name, type, enabled, ...target }: Omit<NewChannel, "target"> & Partial<ChannelTarget>, options) =>
      channels.add({ name, type, enabled, target }, options),
  }),
  commands: {
    add: {
      summary: "add a channel for people: chat, phone or email",
    },
    change: {
      summary: "change a channel",
    },
    list: { summary: "list channels (secrets are never shown)", purpose: "channels and their state" },
    show: { summary: "show a channel, its state and why it fails" },
    remove: { summary: "remove a channel with its subscriptions and deliveries" },
    enable: { summary: "enable a channel; waiting messages are sent at once", purpose: "after fixing it" },
    disable: {
      summary: "disable a channel; its messages wait",
    },
  },
  fields: [
    field("type", { choice: channelTypes }, "--type <type>", "service that shows the messages (required)", {
      in: ["add"],
      required: "name the service with --type",
    }),
    ...settings,
    disabledField,
  ],
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
