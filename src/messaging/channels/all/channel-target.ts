import {
  readAddress,
  readChannelText,
  readTemplate,
} from "../../../platform/config/fields/notification-texts.ts";
import { FieldError } from "../../../platform/lib/errors.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import {
  channelKeys,
  keysOfChannel,
  type ChannelKey,
  type ChannelType,
} from "../../../platform/vocabulary/channels.ts";
import type { ChannelTarget } from "../http/notice-type.ts";
import { maskedUrl } from "../http/secrets.ts";

/** Property of each key of the configuration file and the commands. */
export const propertyOf = {
  url: "url",
  token: "token",
  chat_id: "chatId",
  routing_key: "routingKey",
  topic: "topic",
  room: "room",
  to: "to",
  template: "template",
  headers: "headers",
} as const satisfies Record<ChannelKey, keyof ChannelTarget>;

const secretCharactersMax = 2_000;
const recipientsMax = 100;
const templateShownMax = 200;
const hiddenValue = "••••••••";

/** Target without anything, which every kind of channel completes. */
export const emptyTarget: ChannelTarget = {
  url: null,
  token: null,
  chatId: null,
  routingKey: null,
  topic: null,
  room: null,
  to: [],
  template: null,
  headers: {},
};

/**
 * Returns the whole target, always with the same order of properties: equal targets are equal as JSON. Empty texts
 * become null.
 * @throws FieldError that names the key, for a key that the type needs or does not use, and for a value
 *   that the configuration file would not accept either
 */
export function completeTarget(type: ChannelType, given: Partial<ChannelTarget>): ChannelTarget {
  const target = inOrder(given);
  const { required, optional } = keysOfChannel[type];
  for (const key of channelKeys) {
    const isSet = isValue(target[propertyOf[key]]);
    if (!isSet && required.includes(key))
      throw new FieldError(key, `a channel of the type ${type} needs ${key}`);
    if (isSet && !required.includes(key) && !optional.includes(key))
      throw new FieldError(
        key,
        `a channel of the type ${type} does not use ${key}, only ${[...required, ...optional].join(", ")}`,
      );
  }
  checkValues(target);
  return target;
}

/** Returns what there is to show of a target: its keys that are set, with secrets masked. */
export function shownTarget(target: ChannelTarget): { key: ChannelKey; value: string }[] {
  return channelKeys.flatMap((key) => {
    const value = target[propertyOf[key]];
    return isValue(value) ? [{ key, value: shownValue(key, target) }] : [];
  });
}

function shownValue(key: ChannelKey, target: ChannelTarget): string {
  switch (key) {
    case "url":
      return maskedUrl(target.url ?? "");
    case "token":
    case "routing_key":
      return hiddenValue;
    case "to":
      return target.to.join(", ");
    // Values may be secret.
    case "headers":
      return Object.keys(target.headers).join(", ");
    case "template":
      return visible(target.template ?? "", templateShownMax);
    default:
      return visible(target[propertyOf[key]] ?? "");
  }
}

/** A key that is absent from `given` has the value of the empty target, and so does an empty text. */
function inOrder(given: Partial<ChannelTarget>): ChannelTarget {
  const entries = Object.entries(emptyTarget).map(([key, empty]: [string, unknown]) => [
    key,
    given[key as keyof ChannelTarget] || empty,
  ]);
  return Object.fromEntries(entries) as unknown as ChannelTarget;
}

function isValue(value: ChannelTarget[keyof ChannelTarget]): boolean {
  return typeof value === "string" || (value !== null && Object.keys(value).length > 0);
}

function checkValues(target: ChannelTarget): void {
  for (const key of ["url", "token", "routing_key"] as const) {
    const value = target[propertyOf[key]];
    // The value may be secret, so the message does not repeat it.
    if (value !== null && (!/^[\x21-\x7e]+$/.test(value) || value.length > secretCharactersMax))
      throw new FieldError(
        key,
        `${key} has 1 to ${secretCharactersMax} visible ASCII characters without spaces`,
      );
  }
  for (const key of ["chat_id", "topic", "room"] as const)
    checkText(key, target[propertyOf[key]], readChannelText);
  checkText("template", target.template, readTemplate);
  if (target.to.length > recipientsMax)
    throw new FieldError("to", `to has at most ${recipientsMax} addresses`);
  for (const address of target.to) checkText("to", address, readAddress);
}

function checkText(key: ChannelKey, value: string | null, read: typeof readAddress): void {
  const result = value === null ? undefined : read(value);
  if (result !== undefined && "allowed" in result)
    throw new FieldError(key, `${key} must be ${result.allowed}, not ${visible(value ?? "", 100)}`);
}
