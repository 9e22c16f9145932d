import { toIsoTime, type Instant } from "../../lib/clock.ts";
import { visible } from "../../lib/safe-text.ts";
import type { AttemptResult } from "../../deliveries/channel.ts";
import type { Endpoint } from "../../channels/webhook/endpoint.ts";
import { command, UsageError, type CommandGroup } from "../terminal/command.ts";
import { FailedError } from "../terminal/failure.ts";
import { configFlag, duration, jsonFlag, text, toggle } from "../terminal/flags.ts";
import { deliveriesCommand, redeliverCommand } from "./webhook-deliveries.ts";
import { listenCommand } from "./webhook-listen.ts";
import { replayCommand } from "./webhook-replay.ts";
import { readSecret, readSettings, secretFlag, settingsFlags } from "./webhook-settings.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { printJson, printRows, type Column } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { withAppliance } from "../appliance/with-appliance.ts";

const add = command({
  name: "add",
  arguments: "<url>",
  summary: "send events to an endpoint",
  details:
    "Prints the secret that signs them on standard output, this once. A running server takes it up at once.",
  flags: {
    name: text("--name <name>", "a name to call it by (default: made from the host)"),
    ...settingsFlags,
    secretFile: secretFlag,
    disabled: toggle("--disabled", "send it nothing yet"),
    test: toggle("--test", "send it a webhook.ping at once"),
    json: jsonFlag,
    config: configFlag,
  },
  examples: [
    ["phishwatch webhooks add https://soc.example/hooks --name soc --test", "all events, and a first ping"],
    ["phishwatch webhooks add https://soc.example/new --event threat.created", "new threats only"],
  ],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ webhooks: { checkDestination, endpoints, ping } }) => {
      const { name, disabled } = options;
      const remark = await checkDestination(args[0] ?? "");
      if (remark !== undefined) terminal.err.write(`phishwatch: note: ${visible(remark, 300)}\n`);
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
        terminal.err.write(`added ${endpoint.name} (${endpoint.id}); the secret is shown this once\n`);
      }
      if (options.test) await test(terminal, false, () => ping(endpoint));
    }),
});

const change = command({
  name: "change",
  arguments: "<endpoint>",
  summary: "change an endpoint",
  details: "Only what is given is changed. A running server takes it up at once.",
  flags: {
    url: text("--url <url>", "send to this address from now on"),
    ...settingsFlags,
    allEvents: toggle("--all-events", "events of all types"),
    clearHeaders: toggle("--clear-headers", "no headers beside our own"),
    json: jsonFlag,
    config: configFlag,
  },
  examples: [["phishwatch webhooks change soc --event threat.created --rate 5", "less, and more slowly"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ webhooks: { checkDestination, endpoints } }) => {
      const { url, allEvents, clearHeaders } = options;
      if (allEvents && options.event.length > 0)
        throw new UsageError("--all-events and --event exclude each other");
      if (clearHeaders && options.header.length > 0)
        throw new UsageError("--clear-headers and --header exclude each other");
      const remark = url === undefined ? undefined : await checkDestination(url);
      if (remark !== undefined) terminal.err.write(`phishwatch: note: ${visible(remark, 300)}\n`);
      const changes = {
        ...readSettings(options),
        ...(url === undefined ? {} : { url }),
        ...(allEvents ? { events: [] } : {}),
        ...(clearHeaders ? { headers: {} } : {}),
      };
      const endpoint = endpoints.change(args[0] ?? "", changes, { by: actorOfShell(terminal.env) });
      if (options.json) printJson(terminal.out, shape(endpoint));
      else terminal.err.write(`changed ${endpoint.name} (${endpoint.id})\n`);
    }),
});

const columns: Column<Endpoint>[] = [
  { title: "ID", cell: ({ id }) => id },
  { title: "NAME", cell: ({ name }) => name, elastic: true },
  { title: "URL", cell: ({ url }) => url, elastic: true },
  { title: "EVENTS", cell: ({ events }) => events.join(" ") || "all", elastic: true },
  { title: "FROM", cell: ({ origin }) => (origin === "file" ? "configuration" : "added") },
  { title: "STATE", cell: (endpoint) => state(endpoint) },
];

const list = command({
  name: "list",
  summary: "list the endpoints, without their secrets",
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch webhooks list", "who is told, and whether that works"]],
  run: ({ options, terminal }) =>
    withAppliance({ terminal, options }, ({ webhooks: { endpoints } }) => {
      const rows = endpoints.list();
      if (options.json) for (const row of rows) printJson(terminal.out, shape(row));
      else printRows(terminal, rows, { columns, none: "no endpoints; 'phishwatch webhooks add' adds one" });
    }),
});

function state({ enabled, disabledReason, consecutiveFailures }: Endpoint): string {
  if (!enabled) return disabledReason === null ? "disabled" : `disabled (${disabledReason})`;
  return consecutiveFailures === 0 ? "enabled" : `failing (${consecutiveFailures} in a row)`;
}

const remove = command({
  name: "remove",
  arguments: "<endpoint>",
  summary: "remove an endpoint and its deliveries",
  flags: { config: configFlag },
  examples: [["phishwatch webhooks remove soc", "by name or identifier"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, ({ webhooks: { endpoints } }) => {
      const { id, name } = endpoints.get(args[0] ?? "");
      endpoints.remove(id, { by: actorOfShell(terminal.env) });
      terminal.err.write(`removed ${name} (${id})\n`);
    }),
});

const enable = command({
  name: "enable",
  arguments: "<endpoint>",
  summary: "send an endpoint events again",
  details: "What waited goes on at once. Says how many events it missed, for 'webhooks replay' to send.",
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
          `it missed ${missed} events; to send them: phishwatch webhooks replay ${id} --missed --since ${toIsoTime(since)} --yes\n`,
        );
    }),
});

const disable = command({
  name: "disable",
  arguments: "<endpoint>",
  summary: "send an endpoint nothing any more; what waits goes on waiting",
  flags: { config: configFlag },
  examples: [["phishwatch webhooks disable soc", "by name or identifier"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, ({ webhooks: { endpoints } }) => {
      const { id, name } = endpoints.disable(args[0] ?? "", { by: actorOfShell(terminal.env) });
      terminal.err.write(`disabled ${name} (${id})\n`);
    }),
});

const ping = command({
  name: "test",
  arguments: "<endpoint>",
  summary: "send a webhook.ping once and show what comes back",
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch webhooks test soc", "does it answer, and how fast"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ webhooks }) => {
      const endpoint = webhooks.endpoints.get(args[0] ?? "");
      await test(terminal, options.json, () => webhooks.test(endpoint, { by: actorOfShell(terminal.env) }));
    }),
});

async function test({ out }: Terminal, json: boolean, send: () => Promise<AttemptResult>): Promise<void> {
  const result = await send();
  const { statusCode, durationMs, failure, error, response, address } = result;
  if (json)
    printJson(out, {
      ok: failure === null,
      status_code: statusCode,
      duration_ms: durationMs,
      address,
      failure,
      error,
      answer: response,
    });
  else if (failure === null) out.write(`answered ${statusCode} in ${durationMs} ms\n`);
  if (failure !== null) throw new FailedError(`the ping failed: ${error ?? failure}`);
}

const rotate = command({
  name: "rotate",
  arguments: "<endpoint>",
  summary: "give an endpoint a new secret",
  details:
    "Prints the new secret on standard output, this once. The old one signs along for 24 hours unless told otherwise.",
  flags: {
    secretFile: secretFlag,
    overlap: duration("--overlap <duration>", "so long the old secret signs along (default: 24h)"),
    now: toggle("--now", "the old secret signs no more: it has leaked"),
    end: toggle("--end", "make no new secret; end the rotation under way"),
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
        return terminal.err.write(`${name} is signed for with its present secret alone\n`);
      }
      if (now && overlapMs !== undefined) throw new UsageError("--now and --overlap exclude each other");
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
          until === null ? "the old one signs no more" : `the old one signs along until ${toIsoTime(until)}`;
        terminal.err.write(`${endpoint.name} has a new secret, shown this once; ${old}\n`);
      }
    }),
});

function shape(endpoint: Endpoint) {
  const { id, name, url, events, enabled, origin, disabledReason, consecutiveFailures } = endpoint;
  const time = (instant: Instant | null) => (instant === null ? null : toIsoTime(instant));
  return {
    id,
    name,
    url,
    events,
    enabled,
    disabled_reason: disabledReason,
    consecutive_failures: consecutiveFailures,
    failing_since: time(endpoint.failingSince),
    previous_secret_until: time(endpoint.previousSecretUntil),
    // Values of headers may be secret.
    headers: Object.keys(endpoint.headers),
    concurrency: endpoint.concurrency,
    rate_per_second: endpoint.ratePerSecond,
    ca_file: endpoint.caFile,
    client_cert_file: endpoint.clientCertFile,
    client_key_file: endpoint.clientKeyFile,
    origin,
    created_at: toIsoTime(endpoint.createdAt),
  };
}

export const webhooksCommands: CommandGroup = {
  name: "webhooks",
  summary: "endpoints that events are sent to, and what became of each delivery",
  commands: [
    add,
    change,
    list,
    remove,
    enable,
    disable,
    ping,
    rotate,
    deliveriesCommand,
    redeliverCommand,
    replayCommand,
    listenCommand,
  ],
};
