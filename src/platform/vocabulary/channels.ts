/** Keys of a channel that only some types use, as the configuration file and the commands name them. */
export const channelKeys = [
  "url",
  "token",
  "chat_id",
  "routing_key",
  "topic",
  "room",
  "to",
  "template",
  "headers",
] as const;
export type ChannelKey = (typeof channelKeys)[number];

interface KeysOfChannel {
  required: readonly ChannelKey[];
  optional: readonly ChannelKey[];
}

/** Types of channels for people: the keys that each needs, and those that it accepts in addition. */
const types = {
  slack: { required: ["url"], optional: [] },
  teams: { required: ["url"], optional: [] },
  discord: { required: ["url"], optional: [] },
  mattermost: { required: ["url"], optional: [] },
  google_chat: { required: ["url"], optional: [] },
  ntfy: { required: ["topic"], optional: ["url", "token"] },
  telegram: { required: ["token", "chat_id"], optional: ["url"] },
  pagerduty: { required: ["routing_key"], optional: ["url"] },
  matrix: { required: ["url", "room", "token"], optional: [] },
  email: { required: ["to"], optional: [] },
  template: { required: ["url", "template"], optional: ["token", "headers"] },
} satisfies Record<string, KeysOfChannel>;
export type ChannelType = keyof typeof types;
export const channelTypes = Object.keys(types) as ChannelType[];
export const keysOfChannel: Readonly<Record<ChannelType, KeysOfChannel>> = types;

/** Services that show each threat as an alert of its own, which a later message resolves. */
export const alertingTypes: readonly ChannelType[] = ["pagerduty"];

/** How often a subscription sends what it collected; `none`: at once. */
export const digests = ["none", "hourly", "daily"] as const;
export type Digest = (typeof digests)[number];

export const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof weekdays)[number];

export const deliveryStatuses = ["pending", "succeeded", "failed"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/**
 * Selections of a replay:
 * - `failed`: deliveries that failed for good, to one recipient or to all
 * - `missed`: events that the recipient was never sent, because it was disabled or not there yet
 * - `all`: every event that the recipient subscribes to, whether delivered or not
 */
export const replaySelections = ["failed", "missed", "all"] as const;
export type ReplaySelection = (typeof replaySelections)[number];
