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
      details: `Each type needs its own settings; an error names what is missing. Secrets are taken from files, because every user can read
the arguments of a command. A running server uses the channel at once. 'phishwatch subscriptions add' says what it is sent.`,
      examples: [
        [
          "phishwatch channels add team-chat --type slack --url-file - --test",
          "reads the address from standard input, and tries it",
        ],
        [
          "phishwatch channels add soc-mail --type email --to soc@example.com",
          "over the mail server of [smtp]",
        ],
        ["phishwatch channels add phone --type ntfy --topic phishwatch-alerts-4711", "on ntfy.sh"],
      ],
    },
    change: {
      summary: "change a channel",
      details:
        "Changes only what is given; an empty file removes an optional setting. A running server uses the changes at once.",
      examples: [
        ["phishwatch channels change team-chat --url-file new-address.txt", "after creating a new address"],
        [
          "phishwatch channels change soc-mail --to soc@example.com --to cert@example.com",
          "other recipients",
        ],
      ],
    },
    list: { summary: "list channels (secrets are never shown)", purpose: "channels and their state" },
    show: { summary: "show a channel, its state and why it fails" },
    remove: { summary: "remove a channel with its subscriptions and deliveries" },
    enable: { summary: "enable a channel; waiting messages are sent at once", purpose: "after fixing it" },
    disable: {
      summary: "disable a channel; its messages wait",
      details:
        "Works for declared channels, too. The channel stays disabled, across restarts, until it is enabled. To stop messages for good, disable its subscriptions.",
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
