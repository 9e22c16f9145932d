import type { AttemptResult } from "../../messaging/deliveries/channel.ts";
import { toIsoTime } from "../../platform/lib/clock.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { counted } from "../../platform/lib/wording.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { switchCommand } from "../appliance/switch-command.ts";
import { withAppliance } from "../appliance/with-appliance.ts";
import { command, UsageError, type CommandGroup } from "../terminal/command.ts";
import { FailedError } from "../terminal/failure.ts";
import { configFlag, duration, jsonFlag, text, toggle } from "../terminal/flags.ts";
import { printJson, printRows, renderFacts } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import {
  deliveriesCommand,
  redeliverCommand,
  testJson,
  type RecipientGroup,
} from "./recipient-deliveries.ts";
import { replayCommand } from "./recipient-replay.ts";
import { listenCommand } from "./webhook-listen.ts";
import { allThreatsFlag } from "./filter-flags.ts";
import { columns, endpointFacts, shape } from "./webhook-output.ts";
import { readSecret, readSettings, secretFlag, settingsFlags } from "./webhook-settings.ts";

const add = command({
  name: "add",
  arguments: "<url>",
  summary: "add a webhook endpoint",
  details:
    "Prints the signing secret on standard output, only once. A running server uses the endpoint at once.",
  flags: {
    name: text("--name <name>", "name (default: made from the host)"),
    ...settingsFlags,
    secretFile: secretFlag,
    disabled: toggle("--disabled", "add it disabled"),
    test: toggle("--test", "send a webhook.ping at once"),
    json: jsonFlag,
    config: configFlag,
  },
  examples: [
    ["phishwatch webhooks add https://soc.example/hooks --name soc --test", "all events, with a first ping"],
    ["phishwatch webhooks add https://soc.example/new --event threat.created", "new threats only"],
    ["phishwatch webhooks add https://soc.example/urgent --min-severity high", "severe threats only"],
  ],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ webhooks: { checkDestination, endpoints, ping } }) => {
      const { name, disabled } = options;
      const warning = await checkDestination(args[0] ?? "");
      if (warning !== undefined) terminal.err.write(`phishwatch: note: ${visible(warning, 300)}\n`);
      const given = await readSecret(options.secretFile);
      const wanted = {
        url: args[0] ?? "",
        ...readSettings(options),
        enabled: !disabled,
        ...(name === undefined ? {} : { name }),
        ...(given === undefined ? {} : { secret: given }),
      };
      const { endpoint, secret } = endpoints.add(wanted, { by: actorOfShell(terminal.env) });
      if (options.json) printJson(terminal.out, { ...shape(endpoint), secret });
      else {
        terminal.out.write(`${secret}\n`);
        terminal.err.write(`added ${endpoint.name} (${endpoint.id}); the secret is shown only once\n`);
      }
      if (options.test) await test(terminal, false, () => ping(endpoint));
    }),
});

const change = command({
  name: "change",
  arguments: "<endpoint>",
  summary: "change a webhook endpoint",
  details: "Changes only what is given. A running server uses the changes at once.",
  flags: {
    url: text("--url <url>", "new URL"),
    ...settingsFlags,
    allThreats: allThreatsFlag,
    allEvents: toggle("--all-events", "events of all types"),
    clearHeaders: toggle("--clear-headers", "remove all custom headers"),
    json: jsonFlag,
    config: configFlag,
  },
  examples: [
    ["phishwatch webhooks change soc --event threat.created --rate 5", "fewer events, at a limited rate"],
  ],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ webhooks: { checkDestination, endpoints } }) => {
      const { url, allEvents, allThreats, clearHeaders } = options;
      if (allEvents && options.event.length > 0) throw new UsageError("use either --all-events or --event");
      if (clearHeaders && options.header.length > 0)
        throw new UsageError("use either --clear-headers or --header");
      const warning = url === undefined ? undefined : await checkDestination(url);
      if (warning !== undefined) terminal.err.write(`phishwatch: note: ${visible(warning, 300)}\n`);
      const present = allThreats ? null : endpoints.get(args[0] ?? "").filter;
      const changes = {
        ...(allThreats ? { filter: null } : {}),
        ...readSettings(options, present),
        ...(url === undefined ? {} : { url }),
        ...(allEvents ? { events: [] } : {}),
        ...(clearHeaders ? { headers: {} } : {}),
      };
      const endpoint = endpoints.change(args[0] ?? "", changes, { by: actorOfShell(terminal.env) });
      if (options.json) printJson(terminal.out, shape(endpoint));
      else terminal.err.write(`changed ${endpoint.name} (${endpoint.id})\n`);
    }),
});

const list = command({
  name: "list",
  summary: "list webhook endpoints (secrets are never shown)",
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch webhooks list", "endpoints and their state"]],
  run: ({ options, terminal }) =>
    withAppliance({ terminal, options }, ({ webhooks: { endpoints } }) => {
      const rows = endpoints.list();
      if (options.json) for (const row of rows) printJson(terminal.out, shape(row));
      else printRows(terminal, rows, { columns, none: "no endpoints; 'phishwatch webhooks add' adds one" });
    }),
});

const show = command({
  name: "show",
  arguments: "<endpoint>",
  summary: "show a webhook endpoint, its state and why it fails",
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch webhooks show soc", "by name or identifier"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, ({ webhooks: { endpoints } }) => {
      const endpoint = endpoints.get(args[0] ?? "");
      if (options.json) printJson(terminal.out, shape(endpoint));
      else terminal.out.write(renderFacts(endpointFacts(endpoint)));
    }),
});

const remove = command({
  name: "remove",
  arguments: "<endpoint>",
  summary: "remove a webhook endpoint and its deliveries",
  flags: { config: configFlag },
  examples: [["phishwatch webhooks remove soc", "by name or identifier"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ webhooks: { endpoints } }) => {
      const { id, name } = endpoints.get(args[0] ?? "");
      await endpoints.remove(id, { by: actorOfShell(terminal.env) });
      terminal.err.write(`removed ${name} (${id})\n`);
    }),
});

const enable = command({
  name: "enable",
  arguments: "<endpoint>",
  summary: "enable a webhook endpoint",
  details:
    "Pending deliveries continue at once. Prints how many events it missed; 'webhooks replay' sends them.",
  flags: { config: configFlag },
  examples: [["phishwatch webhooks enable soc", "by name or identifier"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, ({ deliveries: { replay }, webhooks: { endpoints } }) => {
      const {
        id,
        name,
        disabledAt: since,
      } = endpoints.enable(args[0] ?? "", {
        by: actorOfShell(terminal.env),
      });
      terminal.err.write(`enabled ${name} (${id})\n`);
      const missed = since === null ? 0 : replay.count({ which: "missed", recipient: id, since });
      if (since !== null && missed > 0)
        terminal.err.write(
          `it missed ${counted(missed, "event")}; to send them: phishwatch webhooks replay ${id} --missed --since ${toIsoTime(since)} --yes\n`,
        );
    }),
});

const disable = switchCommand({
  name: "disable",
  arguments: "<endpoint>",
  summary: "disable a webhook endpoint; pending deliveries stay queued",
  details: `Works for declared endpoints, too. The endpoint stays disabled, across restarts, until it is enabled. Events in the
meantime are not queued for it: 'webhooks enable' prints how to send them.`,
  examples: [["phishwatch webhooks disable soc", "by name or identifier"]],
  change: (app, idOrName, by) => app.webhooks.endpoints.disable(idOrName, by),
});

const ping = command({
  name: "test",
  arguments: "<endpoint>",
  summary: "send a webhook.ping once and show the response",
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch webhooks test soc", "status and response time"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ webhooks }) => {
      const endpoint = webhooks.endpoints.get(args[0] ?? "");
      await test(terminal, options.json, () => webhooks.test(endpoint, { by: actorOfShell(terminal.env) }));
    }),
});

async function test({ out }: Terminal, json: boolean, send: () => Promise<AttemptResult>): Promise<void> {
  const result = await send();
  const { statusCode, durationMs, failure, error } = result;
  if (json) printJson(out, testJson(result));
  else if (failure === null) out.write(`HTTP status ${statusCode} in ${durationMs} ms\n`);
  if (failure !== null) throw new FailedError(`the ping failed: ${error ?? failure}`);
}

const rotate = command({
  name: "rotate",
  arguments: "<endpoint>",
  summary: "rotate the secret of a webhook endpoint",
  details:
    "Prints the new secret on standard output, only once. By default, the old one also signs for 24 hours.",
  flags: {
    secretFile: secretFlag,
    overlap: duration("--overlap <duration>", "how long the old secret also signs (default: 24h)"),
    now: toggle("--now", "stop the old secret from signing: it has leaked"),
    end: toggle("--end", "end the current rotation, without a new secret"),
    json: jsonFlag,
    config: configFlag,
  },
  examples: [
    ["phishwatch webhooks rotate soc", "once a year"],
    ["phishwatch webhooks rotate soc --now", "after a leak"],
  ],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ webhooks: { endpoints } }) => {
      const { now, end, overlap: overlapMs } = options;
      const by = actorOfShell(terminal.env);
      if (end) {
        const { name } = endpoints.endRotation(args[0] ?? "", { by });
        return terminal.err.write(`${name}: only the current secret signs\n`);
      }
      if (now && overlapMs !== undefined) throw new UsageError("use either --now or --overlap");
      const given = await readSecret(options.secretFile);
      const rotation = {
        ...(given === undefined ? {} : { secret: given }),
        ...(overlapMs === undefined ? {} : { overlapMs }),
      };
      const rotated = endpoints.rotate(args[0] ?? "", { ...rotation, by });
      const endpoint = now ? endpoints.endRotation(rotated.endpoint.id, { by }) : rotated.endpoint;
      if (options.json) printJson(terminal.out, { ...shape(endpoint), secret: rotated.secret });
      else {
        terminal.out.write(`${rotated.secret}\n`);
        const until = endpoint.previousSecretUntil;
        const old =
          until === null ? "the old one no longer signs" : `the old one also signs until ${toIsoTime(until)}`;
        terminal.err.write(`${endpoint.name} has a new secret, shown only once; ${old}\n`);
      }
    }),
});

const group: RecipientGroup = {
  command: "webhooks",
  noun: "endpoint",
  example: "soc",
  recipients: ({ webhooks }) => webhooks.endpoints.list(),
  get: ({ webhooks }, key) => webhooks.endpoints.get(key),
};

export const webhooksCommands: CommandGroup = {
  name: "webhooks",
  summary: "webhook endpoints and their deliveries",
  commands: [
    add,
    change,
    list,
    show,
    remove,
    enable,
    disable,
    ping,
    rotate,
    deliveriesCommand(group),
    redeliverCommand(group),
    replayCommand(group),
    listenCommand,
  ],
};
