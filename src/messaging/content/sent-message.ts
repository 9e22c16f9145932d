import type { Delivery, DeliveryLog } from "../deliveries/delivery-log.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import type { Notice } from "./notice.ts";
import { plainText } from "./plain-text.ts";
import { channelTypes } from "../../platform/vocabulary/channels.ts";

/** Messages for people among the deliveries. */

const titleCharactersMax = 200;
const lineCharactersMax = 2_000;

/** Returns whether the delivery is a message for people, and not an event for a program. */
export function isMessage({ channel }: Pick<Delivery, "channel">): boolean {
  return channelTypes.some((type) => type === channel);
}

/** Returns the title of a message, or the type of an event. */
export function titleOf(delivery: Delivery, log: Pick<DeliveryLog, "body">): string {
  const notice = isMessage(delivery) ? readNotice(log.body(delivery.id)) : undefined;
  return notice === undefined ? delivery.eventType : visible(notice.title, titleCharactersMax);
}

/** Returns a message as readable text, or undefined if the delivery is something else. */
export function textOf(delivery: Delivery, body: string | undefined): string | undefined {
  const notice = isMessage(delivery) ? readNotice(body) : undefined;
  if (notice === undefined) return undefined;
  return plainText(notice, { title: false })
    .split("\n")
    .map((line) => visible(line, lineCharactersMax))
    .join("\n");
}

/** Returns undefined for a body that is not a message: it was stored by another version. */
function readNotice(body: string | undefined): Notice | undefined {
  if (body === undefined) return undefined;
  const value = JSON.parse(body) as Partial<Notice> | null;
  const { title, summary, facts, items, links } = value ?? {};
  const isNotice =
    typeof title === "string" &&
    typeof summary === "string" &&
    [facts, items, links].every((list) => Array.isArray(list));
  return isNotice ? (value as Notice) : undefined;
}
