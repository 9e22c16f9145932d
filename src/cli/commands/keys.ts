import type { ApiKey } from "../../access/keys/keys.ts";
import { optionalIsoTime, systemClock, toIsoTime } from "../../platform/lib/clock.ts";
import { defaultPlan, defaultScopes, plans, scopes } from "../../platform/vocabulary/keys.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { withAppliance } from "../appliance/with-appliance.ts";
import { command, type CommandGroup } from "../terminal/command.ts";
import { choice, choices, configFlag, duration, jsonFlag, text, texts } from "../terminal/flags.ts";
import { printJson, printRows, shortTime, type Column } from "../terminal/table.ts";

const create = command({
  name: "create",
  summary: "create an API key",
  flags: {
    name: text("--name <name>", "name of the key (default: command line)"),
    plan: choice("--plan <plan>", plans, defaultPlan, "rate limit"),
    scope: choices("--scope <scope>", scopes, `permission of the key (default: ${defaultScopes.join(", ")})`),
    domain: texts("--domain <domain>", "restrict the key to this protected domain"),
    expiresIn: duration("--expires-in <duration>", "lifetime of the key, such as 90d (default: unlimited)"),
    json: jsonFlag,
    config: configFlag,
  },
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
        terminal.err.write(`created ${record.id} (${name}); the key will not be shown again\n`);
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
  { title: "CREATED", cell: ({ createdAt }) => shortTime(createdAt) },
  { title: "LAST USED", cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : shortTime(lastUsedAt)) },
  { title: "STATE", cell: (key) => state(key) },
];

const list = command({
  name: "list",
  summary: "list API keys (secrets are never shown)",
  flags: { json: jsonFlag, config: configFlag },
  run: ({ options, terminal }) =>
    withAppliance({ terminal, options }, ({ keys }) => {
      const rows = keys.list();
      if (options.json) for (const key of rows) printJson(terminal.out, shape(key));
      else printRows(terminal, rows, { columns, none: "no keys; create one with 'phishwatch keys create'" });
    }),
});

const revoke = command({
  name: "revoke",
  arguments: "<id>",
  summary: "revoke an API key permanently",
  flags: { json: jsonFlag, config: configFlag },
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
    expires_at: optionalIsoTime(key.expiresAt),
    revoked_at: optionalIsoTime(key.revokedAt),
    last_used_at: optionalIsoTime(key.lastUsedAt),
  };
}

export const keysCommands: CommandGroup = {
  name: "keys",
  summary: "manage keys for the HTTP API",
  commands: [create, list, revoke],
};
