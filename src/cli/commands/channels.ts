import { channelPresentation, subscriptionsTo } from "../../messaging/channels/all/presentation.ts";
import type { TestResult } from "../../messaging/channels/all/channels.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { shellWord } from "../../platform/lib/shell-word.ts";
import { appCommand } from "../appliance/app-command.ts";
import { entryCommands } from "../entries/entry-commands.ts";
import { FailedError } from "../terminal/command.ts";
import { jsonFlag, toggle } from "../terminal/flags.ts";
import { printJson } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import {
  deliveriesCommand,
  type RecipientGroup,
  redeliverCommand,
  testJson,
} from "./recipient-deliveries.ts";
import { replayCommand } from "./recipient-replay.ts";

const test = appCommand({
  name: "test",
  arguments: "<channel>",
  flags: { json: jsonFlag },
  run: async ({ app: { channels }, args: [key = ""], by, options, terminal }) =>
    report(terminal, options.json, await channels.test(key, { by })),
});

/** Prints the outcome of a test message. @throws FailedError with what to change if it failed */
function report({ out }: Terminal, json: boolean, result: TestResult): void {
  const { durationMs, failure, error, response, advice } = result;
  if (json) printJson(out, { ...testJson(result), advice: advice ?? null });
  else if (failure === null)
    out.write(`sent in ${durationMs} ms${response === "" ? "" : `; response: ${response}`}\n`);
  if (failure !== null) {
    const reason = error ?? failure;
    const next = advice === undefined ? "" : `. ${advice}`;
    const shown = response === "" || reason.includes(response) ? "" : ` Response: ${visible(response, 500)}`;
    throw new FailedError(`the test message failed: ${reason}${next}${shown}`);
  }
}

const group: RecipientGroup = {
  command: "channels",
  noun: "channel",
  example: "team-chat",
  recipients: ({ channels }) => channels.list(),
  get: ({ channels }, key) => channels.get(key),
};

export const channelsCommands = entryCommands(channelPresentation, {
  addFlags: { test: toggle("--test", "send a test message at once") },
  created(channel) {
    const next = `phishwatch subscriptions add NAME --channel ${shellWord(channel.name)}`;
    return { entry: channel, note: `added ${channel.name} (${channel.id}); '${next}' says what it is sent` };
  },
  async afterAdd({ id }, { app, by, options, terminal }) {
    if (options["test"] === true) report(terminal, false, await app.channels.test(id, { by }));
  },
  shown: async (channel, { app }) => ({ json: { subscriptions: subscriptionsTo(channel, app) } }),
  removed(channel, app) {
    const names = subscriptionsTo(channel, app);
    if (names.length === 0) return "";
    return `, and with it the ${names.length === 1 ? "subscription" : "subscriptions"} ${names.join(", ")}`;
  },
  more: [test, deliveriesCommand(group), redeliverCommand(group), replayCommand(group)],
});
