import type { App } from "../../app/app.ts";
import type { TestResult } from "../../messaging/channels/all/channels.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { channelTypes } from "../../platform/vocabulary/channels.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { switchCommand } from "../appliance/switch-command.ts";
import { withAppliance } from "../appliance/with-appliance.ts";
import { command, UsageError, type CommandGroup } from "../terminal/command.ts";
import { FailedError } from "../terminal/failure.ts";
import { choice, configFlag, jsonFlag, toggle } from "../terminal/flags.ts";
import { printJson, printRows, renderFacts } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { channelFacts, columnsFor, shape } from "./channel-output.ts";
import { readSettings, settingsFlags } from "./channel-settings.ts";
import {
  deliveriesCommand,
  redeliverCommand,
  testJson,
  type RecipientGroup,
} from "./recipient-deliveries.ts";
import { replayCommand } from "./recipient-replay.ts";
import { shellWord } from "../../platform/lib/shell-word.ts";

const add = command({
  name: "add",
  arguments: "<name>",
  summary: "add a channel for people: chat, phone or email",
  details: `Each type needs its own settings; an error names what is missing. Secrets are taken from files, because every user can read
the arguments of a command. A running server uses the channel at once. 'phishwatch subscriptions add' says what it is sent.`,
  flags: {
    type: choice("--type <type>", channelTypes, "service that shows the messages (required)", undefined),
    ...settingsFlags,
    disabled: toggle("--disabled", "add it disabled"),
    test: toggle("--test", "send a test message at once"),
    json: jsonFlag,
    config: configFlag,
  },
  examples: [
    [
      "phishwatch channels add team-chat --type slack --url-file - --test",
      "reads the address from standard input, and tries it",
    ],
    ["phishwatch channels add soc-mail --type email --to soc@example.com", "over the mail server of [smtp]"],
    ["phishwatch channels add phone --type ntfy --topic phishwatch-alerts-4711", "on ntfy.sh"],
  ],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ channels }) => {
      const { type, disabled } = options;
      if (type === undefined) throw new UsageError("name the service with --type");
      const by = actorOfShell(terminal.env);
      const target = await readSettings(options);
      const added = channels.add({ name: args[0] ?? "", type, target, enabled: !disabled }, { by });
      if (options.json) printJson(terminal.out, shape(added, channels));
      else {
        const next = `phishwatch subscriptions add NAME --channel ${shellWord(added.name)}`;
        terminal.err.write(`added ${added.name} (${added.id}); '${next}' says what it is sent\n`);
      }
      if (options.test) report(terminal, false, await channels.test(added.id, { by }));
    }),
});

const change = command({
  name: "change",
  arguments: "<channel>",
  summary: "change a channel",
  details:
    "Changes only what is given; an empty file removes an optional setting. A running server uses the changes at once.",
  flags: { ...settingsFlags, json: jsonFlag, config: configFlag },
  examples: [
    ["phishwatch channels change team-chat --url-file new-address.txt", "after creating a new address"],
    ["phishwatch channels change soc-mail --to soc@example.com --to cert@example.com", "other recipients"],
  ],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ channels }) => {
      const by = actorOfShell(terminal.env);
      const changed = channels.change(args[0] ?? "", await readSettings(options), { by });
      if (options.json) printJson(terminal.out, shape(changed, channels));
      else terminal.err.write(`changed ${changed.name} (${changed.id})\n`);
    }),
});

const list = command({
  name: "list",
  summary: "list channels (secrets are never shown)",
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch channels list", "channels and their state"]],
  run: ({ options, terminal }) =>
    withAppliance({ terminal, options }, ({ channels }) => {
      const rows = channels.list();
      if (options.json) for (const row of rows) printJson(terminal.out, shape(row, channels));
      else {
        const none = "no channels; 'phishwatch channels add' adds one";
        printRows(terminal, rows, { columns: columnsFor(channels), none });
      }
    }),
});

const show = command({
  name: "show",
  arguments: "<channel>",
  summary: "show a channel, its state and why it fails",
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch channels show team-chat", "by name or identifier"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, (app) => {
      const { channels } = app;
      const channel = channels.get(args[0] ?? "");
      const subscriptions = subscriptionsTo(app, channel);
      if (options.json) printJson(terminal.out, { ...shape(channel, channels), subscriptions });
      else terminal.out.write(renderFacts(channelFacts(channel, subscriptions, channels)));
    }),
});

const remove = command({
  name: "remove",
  arguments: "<channel>",
  summary: "remove a channel with its subscriptions and deliveries",
  flags: { config: configFlag },
  examples: [["phishwatch channels remove team-chat", "by name or identifier"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async (app) => {
      const { id, name } = app.channels.get(args[0] ?? "");
      const subscriptions = subscriptionsTo(app, { id });
      await app.channels.remove(id, { by: actorOfShell(terminal.env) });
      const removed =
        subscriptions.length === 0
          ? ""
          : `, and with it the ${subscriptions.length === 1 ? "subscription" : "subscriptions"} ${subscriptions.join(", ")}`;
      terminal.err.write(`removed ${name} (${id})${removed}\n`);
    }),
});

const enable = switchCommand({
  name: "enable",
  arguments: "<channel>",
  summary: "enable a channel; waiting messages are sent at once",
  examples: [["phishwatch channels enable team-chat", "after fixing it"]],
  change: (app, idOrName, by) => app.channels.enable(idOrName, by),
});

const disable = switchCommand({
  name: "disable",
  arguments: "<channel>",
  summary: "disable a channel; its messages wait",
  details:
    "Works for declared channels, too. The channel stays disabled, across restarts, until it is enabled. To stop messages for good, disable its subscriptions.",
  examples: [["phishwatch channels disable team-chat", "by name or identifier"]],
  change: (app, idOrName, by) => app.channels.disable(idOrName, by),
});

const test = command({
  name: "test",
  arguments: "<channel>",
  summary: "send a test message once and show the response",
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch channels test team-chat", "response, and what to change if it fails"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ channels }) => {
      const by = actorOfShell(terminal.env);
      report(terminal, options.json, await channels.test(args[0] ?? "", { by }));
    }),
});

/** Returns the names of the subscriptions that are sent to the channel. */
function subscriptionsTo({ notifications }: App, { id }: { id: string }): string[] {
  return notifications.subscriptions
    .list()
    .filter(({ channel }) => channel.id === id)
    .map(({ name }) => name);
}

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

export const channelsCommands: CommandGroup = {
  name: "channels",
  summary: "channels for people and their messages",
  commands: [
    add,
    change,
    list,
    show,
    remove,
    enable,
    disable,
    test,
    deliveriesCommand(group),
    redeliverCommand(group),
    replayCommand(group),
  ],
};
