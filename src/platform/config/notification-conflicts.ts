import { channelKeys, keysOfChannel } from "../vocabulary/channels.ts";
import type { Conflict } from "./fields/config-error.ts";
import type { Partly } from "./fields/fields.ts";
import type { FileValues } from "./schema.ts";

/** Checks that each channel has the keys of its type, and that channels of the type email have a mail server. */
export function* channelConflicts({ channels, smtp }: Partly<FileValues>): Generator<Conflict> {
  for (const [index, channel] of (channels ?? []).entries()) {
    if (channel?.type === undefined) continue;
    const { required, optional } = keysOfChannel[channel.type];
    for (const key of channelKeys) {
      const value = channel[key];
      if (value === undefined) continue;
      const isSet = value !== null && value.length > 0;
      const path = `channels[${index}].${key}`;
      if (!isSet && required.includes(key))
        yield { path, found: "nothing", allowed: `${key} for the type "${channel.type}"` };
      if (isSet && !required.includes(key) && !optional.includes(key))
        yield {
          path,
          found: `${key} for the type "${channel.type}"`,
          allowed: `only ${[...required, ...optional].join(", ")}`,
        };
    }
    if (channel.type === "email" && (smtp?.host === null || smtp?.from === null))
      yield {
        path: `channels[${index}].type`,
        found: `the type "email" without a mail server`,
        allowed: "smtp.host and smtp.from with it",
      };
  }
}

/** Checks that a user name has a password, and a mail server a sender. */
export function* smtpConflicts({ smtp }: Partly<FileValues>): Generator<Conflict> {
  for (const [given, missing] of [
    ["username", "password"],
    ["password", "username"],
  ] as const)
    if (typeof smtp?.[given] === "string" && smtp[missing] === null)
      yield { path: `smtp.${given}`, found: `no ${missing} beside it`, allowed: "both or none" };
  if (typeof smtp?.host === "string" && smtp.from === null)
    yield { path: "smtp.from", found: "nothing", allowed: "the sender's address beside smtp.host" };
}
