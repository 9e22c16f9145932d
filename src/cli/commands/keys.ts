import type { ApiKey } from "../../access/keys/keys.ts";
import { systemClock } from "../../platform/lib/clock.ts";
import { jsonFields } from "../../platform/lib/key-names.ts";
import { defaultPlan, defaultScopes, plans, scopes } from "../../platform/vocabulary/keys.ts";
import { appCommand } from "../appliance/app-command.ts";
import type { CommandGroup } from "../terminal/command.ts";
import { choice, choices, duration, jsonFlag, text, texts } from "../terminal/flags.ts";
import { printJson, printList, shortTime, type Column } from "../terminal/table.ts";

const create = appCommand({
  name: "create",
  flags: {
    name: text("--name <name>"),
    plan: choice("--plan <plan>", plans, defaultPlan),
    scope: choices("--scope <scope>", scopes, `permission of the key (default: ${defaultScopes.join(", ")})`),
    domain: texts("--domain <domain>"),
    expiresIn: duration("--expires-in <duration>"),
    json: jsonFlag,
  },
  run({ app: { keys }, by, options, terminal }) {
    const { name = "command line", plan, scope, domain: domains, expiresIn } = options;
    const expiresAt = expiresIn === undefined ? undefined : systemClock.now() + expiresIn;
    const wanted = { name, plan, scopes: scope.length > 0 ? scope : undefined, domains, expiresAt };
    const { key, record } = keys.create(wanted, { by });
    if (options.json) return printJson(terminal.out, { key, ...shape(record) });
    terminal.out.write(`${key}\n`);
    terminal.err.write(`created ${record.id} (${name}); the key will not be shown again\n`);
  },
});

const columns: Column<ApiKey>[] = [
  { title: "ID", cell: ({ id }) => id },
  { title: "KEY", cell: ({ prefix }) => `${prefix}…` },
  { title: "NAME", cell: ({ name }) => name, elastic: true },
  { title: "PLAN", cell: ({ plan }) => plan },
  { title: "SCOPES", cell: (key) => key.scopes.join(" "), elastic: true },
  { title: "DOMAINS", cell: ({ domains }) => domains.join(" ") || "all", elastic: true },
  { title: "CREATED", cell: ({ createdAt }) => shortTime(createdAt) },
  { title: "LAST USED", cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : shortTime(lastUsedAt)) },
  { title: "STATE", cell: (key) => state(key) },
];

const list = appCommand({
  name: "list",
  flags: { json: jsonFlag },
  run: ({ app: { keys }, ...call }) =>
    printList(call, keys.list(), {
      columns,
      json: shape,
      none: "no keys; create one with 'phishwatch keys create'",
    }),
});

const revoke = appCommand({
  name: "revoke",
  arguments: "<id>",
  flags: { json: jsonFlag },
  run({ app: { keys }, args, by, options, terminal }) {
    const record = keys.revoke((args[0] ?? "").replace(/…$/, ""), { by });
    if (options.json) printJson(terminal.out, shape(record));
    else terminal.err.write(`revoked ${record.id} (${record.name})\n`);
  },
});

function state({ revokedAt, expiresAt, origin }: ApiKey): string {
  if (revokedAt !== null) return "revoked";
  if (expiresAt !== null && expiresAt <= systemClock.now()) return "expired";
  if (expiresAt !== null) return `until ${shortTime(expiresAt)}`;
  return origin === "file" ? "declared" : "valid";
}

const shape = (key: ApiKey) =>
  jsonFields(key, "id name prefix plan scopes domains origin createdAt expiresAt revokedAt lastUsedAt");

export const keysCommands: CommandGroup = { name: "keys", commands: [create, list, revoke] };
