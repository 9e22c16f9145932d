import type { Endpoint } from "../../messaging/channels/webhook/endpoint.ts";
import { endpointPresentation } from "../../messaging/channels/webhook/presentation.ts";
import type { AttemptResult } from "../../messaging/deliveries/channel.ts";
import { toIsoTime } from "../../platform/lib/clock.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { counted } from "../../platform/lib/wording.ts";
import { appCommand } from "../appliance/app-command.ts";
import { entryCommand, entryCommands, printCreated } from "../entries/entry-commands.ts";
import { readSecret, secretFlag } from "../entries/entry-fields.ts";
import { FailedError, UsageError } from "../terminal/command.ts";
import { duration, jsonFlag, toggle } from "../terminal/flags.ts";
import { printJson } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import {
  deliveriesCommand,
  type RecipientGroup,
  redeliverCommand,
  testJson,
} from "./recipient-deliveries.ts";
import { replayCommand } from "./recipient-replay.ts";
import { listenCommand } from "./webhook-listen.ts";

const enable = entryCommand(endpointPresentation, "enable", {}, ({ app, by, key, service, terminal }) => {
  const { id, name, disabledAt: since } = service.enable(key, { by });
  terminal.err.write(`enabled ${name} (${id})\n`);
  const missed = since === null ? 0 : app.deliveries.replay.count({ which: "missed", recipient: id, since });
  if (since !== null && missed > 0)
    terminal.err.write(
      `it missed ${counted(missed, "event")}; to send them: phishwatch webhooks replay ${id} --missed --since ${toIsoTime(since)} --yes\n`,
    );
});

const ping = appCommand({
  name: "test",
  arguments: "<endpoint>",
  flags: { json: jsonFlag },
  run({ app: { webhooks }, args: [key = ""], by, options, terminal }) {
    const endpoint = webhooks.endpoints.get(key);
    return test(terminal, options.json, () => webhooks.test(endpoint, { by }));
  },
});

async function test({ out }: Terminal, json: boolean, send: () => Promise<AttemptResult>): Promise<void> {
  const result = await send();
  const { statusCode, durationMs, failure, error } = result;
  if (json) printJson(out, testJson(result));
  else if (failure === null) out.write(`HTTP status ${statusCode} in ${durationMs} ms\n`);
  if (failure !== null) throw new FailedError(`the ping failed: ${error ?? failure}`);
}

/** Prints the secret: only here, and once. */
function withSecret({ secret }: { secret: string }) {
  return { print: secret, json: { secret } };
}

const rotate = appCommand({
  name: "rotate",
  arguments: "<endpoint>",
  flags: {
    secretFile: secretFlag,
    overlap: duration("--overlap <duration>"),
    now: toggle("--now"),
    end: toggle("--end"),
    json: jsonFlag,
  },
  async run({ app, args: [key = ""], by, options, terminal }) {
    const { endpoints } = app.webhooks;
    const { now, end, overlap: overlapMs } = options;
    if (end) {
      const { name } = endpoints.endRotation(key, { by });
      return void terminal.err.write(`${name}: only the current secret signs\n`);
    }
    if (now && overlapMs !== undefined) throw new UsageError("use either --now or --overlap");
    const secret = await readSecret(options.secretFile);
    const rotated = endpoints.rotate(key, { secret, overlapMs, by });
    const endpoint = now ? endpoints.endRotation(rotated.endpoint.id, { by }) : rotated.endpoint;
    const until = endpoint.previousSecretUntil;
    const old =
      until === null ? "the old one no longer signs" : `the old one also signs until ${toIsoTime(until)}`;
    const note = `${endpoint.name} has a new secret, shown only once; ${old}`;
    const created = { ...withSecret(rotated), entry: endpoint, note };
    printCreated(endpointPresentation, created, { app, options, terminal });
  },
});

const group: RecipientGroup = {
  command: "webhooks",
  noun: "endpoint",
  example: "soc",
  recipients: ({ webhooks }) => webhooks.endpoints.list(),
  get: ({ webhooks }, key) => webhooks.endpoints.get(key),
};

export const webhooksCommands = entryCommands<Endpoint, { endpoint: Endpoint; secret: string }>(
  endpointPresentation,
  {
    addFlags: { test: toggle("--test", "send a webhook.ping at once") },
    async before({ app, key, options, terminal }) {
      // The address is the argument of a new endpoint, and an option of a change.
      const url = "allEvents" in options ? options["url"] : key;
      const warning = typeof url === "string" ? await app.webhooks.checkDestination(url) : undefined;
      if (warning !== undefined) terminal.err.write(`phishwatch: note: ${visible(warning, 300)}\n`);
    },
    created: (added) => ({
      ...withSecret(added),
      entry: added.endpoint,
      note: `added ${added.endpoint.name} (${added.endpoint.id}); the secret is shown only once`,
    }),
    async afterAdd(endpoint, { app, options, terminal }) {
      if (options["test"] === true) await test(terminal, false, () => app.webhooks.ping(endpoint));
    },
    instead: { enable },
    more: [
      ping,
      rotate,
      deliveriesCommand(group),
      redeliverCommand(group),
      replayCommand(group),
      listenCommand,
    ],
  },
);
