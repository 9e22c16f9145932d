import type { RecipientTraits } from "../../deliveries/channel.ts";
import { dayMs } from "../../../platform/lib/clock.ts";
import type { ChannelTarget } from "./notice-type.ts";

/** A service that is down over a weekend loses no message. */
export const messageRetriesForMs = 3 * dayMs;

/** How channels for people of all types are named, compared and described. */
export const channelTraits: RecipientTraits<ChannelTarget> = {
  noun: "channel",
  idPrefix: "chn",
  configKey: "channels",
  auditedProperties: ["url", "token", "chatId", "routingKey", "topic", "room", "to", "template", "headers"],
  // A new secret may be what a disabled channel needs, so any change counts as a new address.
  addressOf: (target) => JSON.stringify(target),
  // The rest of the URL and the values of headers may be secret.
  describe: ({ target: { url, chatId, topic, room, to, headers } }) => ({
    ...(url === null ? {} : { host: new URL(url).host }),
    ...(chatId === null ? {} : { chat_id: chatId }),
    ...(topic === null ? {} : { topic }),
    ...(room === null ? {} : { room }),
    ...(to.length === 0 ? {} : { to }),
    ...(Object.keys(headers).length === 0 ? {} : { headers: Object.keys(headers) }),
  }),
};
