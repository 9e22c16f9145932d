import type { ApiKey } from "../../access/keys/keys.ts";
import { defaultPlan, defaultScopes, plans, scopes } from "../../vocabulary/keys.ts";
import { systemClock, toIsoTime } from "../../lib/clock.ts";
import { command, type CommandGroup } from "../terminal/command.ts";
import { choice, choices, configFlag, duration, jsonFlag, text, texts } from "../terminal/flags.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { printJson, printRows, shortTime, type Column } from "../terminal/table.ts";
import { withAppliance } from "../appliance/with-appliance.ts";

const create = command({
  name: "create",
  summary: "make a key for the API",
  details: "Prints the key on standard output, this once: only its hash is kept.",
  flags: {
    name: text("--name <name>", "what it is for (default: command line)"),
    plan: choice("--plan <plan>", plans, "requests a minute", defaultPlan),
    scope: choices("--scope <scope>", scopes, `what it may do (default: ${defaultScopes.join(", ")})`),
    domain: texts("--domain <domain>", "bind it to this protected domain"),
    expiresIn: duration("--expires-in <duration>", "refuse it after such as 90d (default: never)"),
    json: jsonFlag,
    config: configFlag,
  },
  examples: [
    ["phishwatch keys create --name ci --scope threats:read --expires-in 90d", "a key that can only read"],
    ["KEY=$(phishwatch keys create --name feeder --scope candidates:write)", "keep it in a variable"],
  ],
  run: ({ options, terminal }) =>
    withAppliance({ terminal, options }, ({ keys }) => {
      const { name = "command line", plan, scope, domain, expiresIn } = options;
      const wanted = {
        name,
        plan,
        ...(scope.length > 0 ? { scopes: scope } : {}),
        domains: domain,
        ...(expiresIn === undefined ? {} : { expiresAt: systemClock.now() + expiresIn }),
      };
      const { key, record } = keys.create(wanted, { by: actorOfShell(terminal.env) });
      if (options.json) printJson(terminal.out, { key, ...shape(record) });
      else {
        terminal.out.write(`${key}\n`);
        terminal.err.write(`made ${record.id} (${name}); the key is shown this once\n`);
      }
    }),
});

const columns: Column<ApiKey>[] = [
  { title: "ID", cell: ({ id }) => id },
  { title: "KEY", cell: ({ prefix }) => `${prefix}…` },
  { title: "NAME", cell: ({ name }) => name, elastic: true },
  { title: "PLAN", cell: ({ plan }) => plan },
  { title: "SCOPES", cell: (key) => key.scopes.join(" "), elastic: true },
  { title: "DOMAINS", cell: ({ domains }) => domains.join(" ") || "all", elastic: true },
  { title: "MADE", cell: ({ createdAt }) => shortTime(createdAt) },
  { title: "LAST USED", cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : shortTime(lastUsedAt)) },
  { title: "STATE", cell: (key) => state(key) },
];

const list = command({
  name: "list",
  summary: "list the keys, without the keys themselves",
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch keys list", "who may do what, and who does"]],
  run: ({ options, terminal }) =>
    withAppliance({ terminal, options }, ({ keys }) => {
      const rows = keys.list();
      if (options.json) for (const key of rows) printJson(terminal.out, shape(key));
      else printRows(terminal, rows, { columns, none: "no keys; 'phishwatch keys create' makes one" });
    }),
});

const revoke = command({
  name: "revoke",
  arguments: "<id>",
  summary: "make a key invalid for good",
  details:
    "The key is named by its identifier or by the characters that 'keys list' shows of it. A running server refuses it at once.",
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch keys revoke pw_5Xf80", "one that has leaked"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, ({ keys }) => {
      const record = keys.revoke((args[0] ?? "").replace(/…$/, ""), { by: actorOfShell(terminal.env) });
      if (options.json) printJson(terminal.out, shape(record));
      else terminal.err.write(`revoked ${record.id} (${record.name})\n`);
    }),
});

function state({ revokedAt, expiresAt, origin }: ApiKey): string {
  if (revokedAt !== null) return "revoked";
  if (expiresAt !== null && expiresAt <= systemClock.now()) return "expired";
  if (expiresAt !== null) return `until ${shortTime(expiresAt)}`;
  return origin === "file" ? "declared" : "valid";
}

function shape(key: ApiKey) {
  const time = (instant: number | null) => (instant === null ? null : toIsoTime(instant));
  const { id, name, prefix, plan, domains, origin } = key;
  return {
    id,
    name,
    prefix,
    plan,
    scopes: key.scopes,
    domains,
    origin,
    created_at: toIsoTime(key.createdAt),
    expires_at: time(key.expiresAt),
    revoked_at: time(key.revokedAt),
    last_used_at: time(key.lastUsedAt),
  };
}

export const keysCommands: CommandGroup = {
  name: "keys",
  summary: "keys of the HTTP API",
  commands: [create, list, revoke],
};
