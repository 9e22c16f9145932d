import type { Account } from "../../access/accounts/accounts.ts";
import type { NewLink } from "../../access/accounts/account-links.ts";
import type { App } from "../../app/app.ts";
import { invitationPath } from "../../web/console/kit/paths.ts";
import { toIsoTime } from "../../platform/lib/clock.ts";
import { jsonFields } from "../../platform/lib/key-names.ts";
import { counted } from "../../platform/lib/wording.ts";
import { roles } from "../../platform/vocabulary/permissions.ts";
import { appCommand, type AppCall } from "../appliance/app-command.ts";
import { UsageError, type CommandDefinition, type CommandGroup } from "../terminal/command.ts";
import { choice, duration, jsonFlag, toggle } from "../terminal/flags.ts";
import { printJson, printList, shortTime, type Column } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

const linkLifetime = duration("--expires-in <duration>", "lifetime of the link, 10m to 30d (default: 7d)");
const passwordFlag = toggle(
  "--password-stdin",
  "set the password that standard input contains, instead of printing a link",
);

const columns: Column<Account>[] = [
  { title: "NAME", cell: ({ name }) => name, elastic: true },
  { title: "ROLE", cell: ({ role }) => role },
  { title: "ORIGIN", cell: ({ origin }) => origin },
  { title: "CODES", cell: ({ hasCodes }) => (hasCodes ? "on" : "off") },
  { title: "CREATED", cell: ({ createdAt }) => shortTime(createdAt) },
  {
    title: "LAST SIGN-IN",
    cell: ({ lastSignInAt }) => (lastSignInAt === null ? "never" : shortTime(lastSignInAt)),
  },
  { title: "STATE", cell: state },
];

const list = appCommand({
  name: "list",
  flags: { json: jsonFlag },
  run: ({ app: { accounts }, ...call }) =>
    printList(call, accounts.list(), { columns, json: shape, none: "no accounts" }),
});

const add = appCommand({
  name: "add",
  arguments: "<name>",
  flags: {
    role: choice("--role <role>", roles),
    passwordStdin: passwordFlag,
    expiresIn: linkLifetime,
    json: jsonFlag,
  },
  async run(call) {
    const { app, args, by, options, terminal } = call;
    const { role, passwordStdin, expiresIn: lifetimeMs } = options;
    if (role === undefined) throw new UsageError(`--role is required: ${roles.join(", ")}`);
    const wanted = { name: args[0] ?? "", role };
    if (!passwordStdin) {
      const { account, ...link } = app.accountManagement.invite({ ...wanted, lifetimeMs }, { by });
      return printLink(call, account, link);
    }
    const password = await readPassword(terminal);
    const account = await app.accountManagement.add({ ...wanted, password }, { by });
    if (options.json) printJson(terminal.out, shape(account));
    else terminal.err.write(`created the account ${account.name} (${role})\n`);
  },
});

const setRole = changeCommand({
  name: "role",
  arguments: "<name> <role>",
  details: `Roles: ${roles.join(", ")}. The change takes effect at the account's next request.`,
  done: "changed the role of",
  change({ app: { accountManagement }, args: [, given], by }, { seq }) {
    const role = roles.find((one) => one === given);
    if (role === undefined) throw new UsageError(`the role must be one of ${roles.join(", ")}`);
    accountManagement.setRole(seq, role, { by });
  },
});

const disable = changeCommand({
  name: "disable",
  done: "disabled",
  change: ({ app: { accountManagement }, by }, { seq }) => accountManagement.disable(seq, { by }),
});

const enable = changeCommand({
  name: "enable",
  done: "enabled",
  change: ({ app: { accountManagement }, by }, { seq }) => accountManagement.enable(seq, { by }),
});

const reset = appCommand({
  name: "reset",
  arguments: "<name>",
  flags: {
    passwordStdin: passwordFlag,
    codes: toggle("--codes"),
    expiresIn: linkLifetime,
    json: jsonFlag,
  },
  async run(call) {
    const { app, args, by, options, terminal } = call;
    const { accounts, accountManagement } = app;
    const { passwordStdin, codes, expiresIn: lifetimeMs } = options;
    if (passwordStdin && codes) throw new UsageError("use either --password-stdin or --codes");
    const account = accounts.require(args[0] ?? "");
    const { seq } = account;
    if (!passwordStdin && !codes)
      return printLink(call, account, accountManagement.reset(seq, { lifetimeMs }, { by }));
    if (codes) accountManagement.removeCodes(seq, { by });
    else await accountManagement.setPassword(seq, await readPassword(terminal), { by });
    if (options.json) return printJson(terminal.out, shape(accounts.require(seq)));
    terminal.err.write(`${codes ? "removed the one-time codes" : "set the password"} of ${account.name}\n`);
  },
});

type Session = ReturnType<ReturnType<App["openSignIn"]>["sessions"]["list"]>[number];

const sessionColumns: Column<Session>[] = [
  { title: "SIGNED IN", cell: ({ createdAt }) => shortTime(createdAt) },
  { title: "LAST SEEN", cell: ({ lastSeenAt }) => shortTime(lastSeenAt) },
  { title: "ADDRESS", cell: ({ address }) => address ?? "unknown" },
  { title: "BROWSER", cell: ({ userAgent }) => userAgent, elastic: true },
];

const sessions = appCommand({
  name: "sessions",
  arguments: "<name>",
  flags: { end: toggle("--end"), json: jsonFlag },
  run({ app: { accounts, accountManagement, openSignIn }, args, by, options, terminal }) {
    const { seq, name } = accounts.require(args[0] ?? "");
    const rows = openSignIn().sessions.list(seq);
    if (options.end) accountManagement.endSessions(seq, { by });
    if (options.end && !options.json)
      return void terminal.err.write(`ended ${counted(rows.length, "session")} of ${name}\n`);
    printList({ options, terminal }, rows, {
      columns: sessionColumns,
      json: (session) => jsonFields(session, "createdAt lastSeenAt address userAgent"),
      none: `no sessions of ${name}`,
    });
  },
});

type JsonCall = AppCall<{ json: typeof jsonFlag }>;

/** Defines a command that changes one account and reports the result. */
function changeCommand({
  done,
  change,
  ...definition
}: Pick<CommandDefinition, "name" | "arguments" | "details"> & {
  done: string;
  change(call: JsonCall, account: Account): void;
}): CommandDefinition {
  return appCommand({
    arguments: "<name>",
    ...definition,
    flags: { json: jsonFlag },
    run(call) {
      const { app, args, options, terminal } = call;
      const account = app.accounts.require(args[0] ?? "");
      change(call, account);
      const changed = app.accounts.require(account.seq);
      if (options.json) printJson(terminal.out, shape(changed));
      else terminal.err.write(`${done} ${changed.name} (${changed.role})\n`);
    },
  });
}

function printLink(
  { config, options, terminal }: Pick<JsonCall, "config" | "options" | "terminal">,
  account: Account,
  { token, expiresAt }: NewLink,
): void {
  const link = `${config.server.publicUrl}${invitationPath(token)}`;
  if (options.json)
    return printJson(terminal.out, { ...shape(account), link, link_expires_at: toIsoTime(expiresAt) });
  terminal.out.write(`${link}\n`);
  terminal.err.write(
    `the link sets the password of ${account.name}, works once, and expires at ${shortTime(expiresAt)}\n`,
  );
}

/** @throws UsageError if standard input is a terminal or more than one line */
async function readPassword({ inputIsTerminal }: Terminal): Promise<string> {
  if (inputIsTerminal)
    throw new UsageError("--password-stdin reads standard input: redirect a file or the output of a program");
  const password = (await Bun.stdin.text()).replace(/\r?\n$/, "");
  if (/[\r\n]/.test(password)) throw new UsageError("standard input must contain one line, the password");
  return password;
}

function state({ disabledAt, lastSignInAt, origin, password }: Account): string {
  if (disabledAt !== null) return "disabled";
  if (origin === "local" && password === null) return lastSignInAt === null ? "invited" : "no password";
  return password === "configuration" ? "password in the configuration" : "enabled";
}

function shape(account: Account) {
  return {
    ...jsonFields(account, "name role origin"),
    has_password: account.password !== null,
    ...jsonFields(account, "hasCodes createdAt lastSignInAt disabledAt"),
  };
}

export const usersCommands: CommandGroup = {
  name: "users",
  commands: [list, add, setRole, disable, enable, reset, sessions],
};
