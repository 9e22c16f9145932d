import { readHours, readTimeOfDay } from "../../platform/config/fields/notification-texts.ts";
import { noFilter } from "../../threats/events/event-filter.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import type { SubscriptionSettings } from "../../messaging/subscriptions/subscriptions/writer.ts";
import { digests, weekdays } from "../../platform/vocabulary/channels.ts";
import { noticeTypes } from "../../platform/vocabulary/events.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { switchCommand } from "../appliance/switch-command.ts";
import { withAppliance } from "../appliance/with-appliance.ts";
import { command, UsageError, type CommandGroup, type OptionsOf } from "../terminal/command.ts";
import { choice, choices, configFlag, jsonFlag, text, toggle } from "../terminal/flags.ts";
import { printJson, printRows, renderFacts } from "../terminal/table.ts";
import { allThreatsFlag, filterFlags, readFilter } from "./filter-flags.ts";
import { columns, shape, subscriptionFacts } from "./subscription-output.ts";

/** Flags for the settings of a subscription, named like the keys of the configuration file. */
const settingsFlags = {
  event: choices("--event <type>", noticeTypes, "events of this type"),
  ...filterFlags,
  digest: choice("--digest <period>", digests, "one message for each period; none: at once", undefined),
  at: text("--at <time>", "time of a daily digest, such as 08:00"),
  weekday: choices("--weekday <day>", weekdays, "send messages on this day only"),
  timeZone: text("--time-zone <zone>", "time zone of the times, such as Europe/Berlin"),
  quietHours: text("--quiet-hours <hours>", `hours in which messages wait, such as 22:00-07:00; "" for none`),
};

/** Returns the settings that were given. @param filter the present filter, of which the other parts are kept */
function readSettings(
  options: OptionsOf<typeof settingsFlags>,
  filter = noFilter,
): Omit<Partial<SubscriptionSettings>, "channel"> {
  const { event, digest, at, weekday, timeZone, quietHours } = options;
  return {
    ...(event.length === 0 ? {} : { events: event }),
    filter: readFilter(options, filter) ?? filter,
    ...(digest === undefined ? {} : { digest }),
    ...(at === undefined ? {} : { at: read("--at", at, readTimeOfDay) }),
    ...(weekday.length === 0 ? {} : { weekdays: weekday }),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(quietHours === undefined
      ? {}
      : { quietHours: quietHours === "" ? null : read("--quiet-hours", quietHours, readHours) }),
  };
}

function read<T>(
  flag: string,
  given: string,
  reader: (text: string) => { value: T } | { allowed: string },
): T {
  const result = reader(given);
  if ("value" in result) return result.value;
  throw new UsageError(`${flag} must be ${result.allowed}, not "${visible(given, 60)}"`);
}

const add = command({
  name: "add",
  arguments: "<name>",
  summary: "add a subscription",
  details: `Without settings, the channel is sent new threats at once. A running server uses the subscription at once.`,
  flags: {
    channel: text("--channel <channel>", "channel that is sent the messages (required)"),
    ...settingsFlags,
    disabled: toggle("--disabled", "add it disabled"),
    json: jsonFlag,
    config: configFlag,
  },
  examples: [
    ["phishwatch subscriptions add urgent --channel team-chat --min-severity high", "severe threats at once"],
    [
      "phishwatch subscriptions add morning --channel soc-mail --digest daily --at 08:00 --time-zone Europe/Berlin",
      "everything else once a day",
    ],
  ],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, ({ notifications: { subscriptions } }) => {
      const { channel, disabled } = options;
      if (channel === undefined)
        throw new UsageError("--channel is required: the channel that is sent the messages");
      const wanted = { name: args[0] ?? "", channel, enabled: !disabled, ...readSettings(options) };
      const added = subscriptions.add(wanted, { by: actorOfShell(terminal.env) });
      if (options.json) printJson(terminal.out, shape(added));
      else terminal.err.write(`added ${added.name} (${added.id})\n`);
    }),
});

const change = command({
  name: "change",
  arguments: "<subscription>",
  summary: "change a subscription",
  details: "Changes only what is given. A running server uses the changes at once.",
  flags: {
    channel: text("--channel <channel>", "another channel"),
    ...settingsFlags,
    allThreats: allThreatsFlag,
    everyDay: toggle("--every-day", "send messages on every day"),
    json: jsonFlag,
    config: configFlag,
  },
  examples: [
    ["phishwatch subscriptions change urgent --quiet-hours 22:00-07:00", "no messages at night"],
    ["phishwatch subscriptions change urgent --all-threats --verified-only", "another filter"],
  ],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, ({ notifications: { subscriptions } }) => {
      const { channel, allThreats, everyDay } = options;
      if (everyDay && options.weekday.length > 0) throw new UsageError("use either --every-day or --weekday");
      const { id, filter } = subscriptions.get(args[0] ?? "");
      const changes = {
        ...readSettings(options, allThreats ? noFilter : filter),
        ...(channel === undefined ? {} : { channel }),
        ...(everyDay ? { weekdays: [] } : {}),
      };
      const changed = subscriptions.change(id, changes, { by: actorOfShell(terminal.env) });
      if (options.json) printJson(terminal.out, shape(changed));
      else terminal.err.write(`changed ${changed.name} (${changed.id})\n`);
    }),
});

const list = command({
  name: "list",
  summary: "list subscriptions",
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch subscriptions list", "subscriptions and their state"]],
  run: ({ options, terminal }) =>
    withAppliance({ terminal, options }, ({ notifications: { subscriptions } }) => {
      const rows = subscriptions.list();
      if (options.json) for (const row of rows) printJson(terminal.out, shape(row));
      else
        printRows(terminal, rows, {
          columns,
          none: "no subscriptions; 'phishwatch subscriptions add' adds one",
        });
    }),
});

const show = command({
  name: "show",
  arguments: "<subscription>",
  summary: "show a subscription",
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch subscriptions show urgent", "by name or identifier"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, ({ channels, notifications: { subscriptions } }) => {
      const found = subscriptions.get(args[0] ?? "");
      if (options.json) printJson(terminal.out, shape(found));
      else terminal.out.write(renderFacts(subscriptionFacts(found, channels)));
    }),
});

const remove = command({
  name: "remove",
  arguments: "<subscription>",
  summary: "remove a subscription; messages that were composed are still sent",
  flags: { config: configFlag },
  examples: [["phishwatch subscriptions remove urgent", "by name or identifier"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ notifications: { subscriptions } }) => {
      const { id, name } = subscriptions.get(args[0] ?? "");
      await subscriptions.remove(id, { by: actorOfShell(terminal.env) });
      terminal.err.write(`removed ${name} (${id})\n`);
    }),
});

const enable = switchCommand({
  name: "enable",
  arguments: "<subscription>",
  summary: "enable a subscription",
  examples: [["phishwatch subscriptions enable urgent", "by name or identifier"]],
  change: (app, idOrName, by) => app.notifications.subscriptions.enable(idOrName, by),
});

const disable = switchCommand({
  name: "disable",
  arguments: "<subscription>",
  summary: "disable a subscription; what waits for its next message is dropped",
  details:
    "Works for declared subscriptions, too. A subscription stays disabled, across restarts, until it is enabled.",
  examples: [["phishwatch subscriptions disable urgent", "by name or identifier"]],
  change: (app, idOrName, by) => app.notifications.subscriptions.disable(idOrName, by),
});

export const subscriptionsCommands: CommandGroup = {
  name: "subscriptions",
  summary: "which events channels are sent, and when",
  commands: [add, change, list, show, remove, enable, disable],
};
