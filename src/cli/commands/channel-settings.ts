import type { ChannelTarget } from "../../messaging/channels/http/notice-type.ts";
import { UsageError, type OptionsOf } from "../terminal/command.ts";
import { text, texts } from "../terminal/flags.ts";
import { readHeader, readSecret } from "./webhook-settings.ts";

/** Flags for the settings of a channel, named like the keys of the configuration file. */
export const settingsFlags = {
  url: text("--url <url>", "address, if it contains no secret: ntfy, matrix and others"),
  urlFile: text("--url-file <file>", 'take the address from this file, or from standard input for "-"'),
  tokenFile: text("--token-file <file>", "take the token from this file, or from standard input"),
  routingKeyFile: text(
    "--routing-key-file <file>",
    "take the routing key from this file, or from standard input",
  ),
  chatId: text("--chat-id <id>", "telegram: ID or @name of the chat"),
  topic: text("--topic <topic>", "ntfy: topic"),
  room: text("--room <room>", "matrix: ID of the room"),
  to: texts("--to <address>", "email: a recipient"),
  templateFile: text("--template-file <file>", "template: take the template from this file"),
  header: texts("--header <header>", `template: a custom header, as "Name: value"`),
};

/** Returns the settings that were given. An empty file removes an optional setting. */
export async function readSettings(
  options: OptionsOf<typeof settingsFlags>,
): Promise<Partial<ChannelTarget>> {
  const { url, urlFile, tokenFile, routingKeyFile, templateFile, chatId, topic, room, to, header } = options;
  if (url !== undefined && urlFile !== undefined) throw new UsageError("use either --url or --url-file");
  const files = [urlFile, tokenFile, routingKeyFile, templateFile];
  if (files.filter((path) => path === "-").length > 1)
    throw new UsageError("only one setting can be taken from standard input");
  const [urlGiven, token, routingKey, template] = await Promise.all(files.map(readSecret));
  return withoutUndefined({
    url: url ?? urlGiven,
    token,
    routingKey,
    chatId,
    topic,
    room,
    to: to.length === 0 ? undefined : to,
    template,
    headers: header.length === 0 ? undefined : Object.fromEntries(header.map(readHeader)),
  });
}

function withoutUndefined(settings: {
  [Name in keyof ChannelTarget]: ChannelTarget[Name] | undefined;
}): Partial<ChannelTarget> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
