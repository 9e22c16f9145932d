import type { ChannelRecipient, Channels } from "../../messaging/channels/all/channels.ts";
import { causeOf } from "../../messaging/deliveries/rules/recipient-state.ts";
import { optionalIsoTime, toIsoTime } from "../../platform/lib/clock.ts";
import type { Column } from "../terminal/table.ts";
import { originText, stateShape, stateText } from "./recipient-state.ts";

type Shown = Pick<Channels, "label" | "shown">;

/** Returns the columns of the list of channels. Secrets are masked. */
export const columnsFor = ({ label, shown }: Shown): Column<ChannelRecipient>[] => [
  { title: "ID", cell: ({ id }) => id },
  { title: "NAME", cell: ({ name }) => name, elastic: true },
  { title: "SERVICE", cell: ({ type }) => label(type) },
  {
    title: "TARGET",
    cell: (channel) => shown(channel).find(({ key }) => key !== "template")?.value ?? "",
    elastic: true,
  },
  { title: "FROM", cell: originText },
  { title: "STATE", cell: stateText },
  { title: "CAUSE", cell: (channel) => causeOf(channel) ?? "", elastic: true },
];

/** Returns what there is to know about a channel, with secrets masked.
 * @param subscriptions names of the subscriptions that are sent to it
 */
export function channelFacts(
  channel: ChannelRecipient,
  subscriptions: readonly string[],
  { label, shown }: Shown,
): [name: string, value: string | null][] {
  const { failingSince } = channel;
  return [
    ["id", channel.id],
    ["name", channel.name],
    ["service", label(channel.type)],
    ...shown(channel).map(({ key, value }): [string, string] => [key.replace("_", " "), value]),
    ["subscriptions", subscriptions.length === 0 ? "none: it is sent nothing" : subscriptions.join(", ")],
    ["from", originText(channel)],
    ["state", stateText(channel)],
    ["failing since", optionalIsoTime(failingSince)],
    ["cause", causeOf(channel)],
    ["created", toIsoTime(channel.createdAt)],
  ];
}

/** Returns the JSON form in command output; programs read its field names. Secrets are masked. */
export function shape(channel: ChannelRecipient, { shown }: Shown) {
  const { id, name, type, origin, createdAt } = channel;
  return {
    id,
    name,
    type,
    target: Object.fromEntries(shown(channel).map(({ key, value }) => [key, value])),
    ...stateShape(channel),
    origin,
    created_at: toIsoTime(createdAt),
  };
}
