import type { Account } from "../../access/accounts/accounts.ts";
import type { NewLink } from "../../access/accounts/account-links.ts";
import type { App } from "../../app/app.ts";
import type { Config } from "../../platform/config/config.ts";
import { invitationPath } from "../../web/console/kit/paths.ts";
import { optionalIsoTime, toIsoTime } from "../../platform/lib/clock.ts";
import { counted } from "../../platform/lib/wording.ts";
import { roles } from "../../platform/vocabulary/permissions.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { withAppliance } from "../appliance/with-appliance.ts";
import { command, UsageError, type CommandGroup } from "../terminal/command.ts";
import { choice, configFlag, duration, jsonFlag, toggle } from "../terminal/flags.ts";
import { printJson, printRows, shortTime, type Column } from "../terminal/table.ts";
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

const list = command({
  name: "list",
  summary: "list the accounts of the console",
  flags: { json: jsonFlag, config: configFlag },
  run: ({ options, terminal }) =>
    withAppliance({ terminal, options }, ({ accounts }) => {
      const rows = accounts.list();
      if (options.json) for (const account of rows) printJson(terminal.out, shape(account));
      else printRows(terminal, rows, { columns, none: "no accounts" });
    }),
});

const add = command({
  name: "add",
  arguments: "<name>",
  summary: "create an account of the console",
  flags: {
    role: choice("--role <role>", roles, undefined, "role of the account"),
    passwordStdin: passwordFlag,
    expiresIn: linkLifetime,
    json: jsonFlag,
    config: configFlag,
  },
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ accountManagement }, config) => {
      const { role, passwordStdin, expiresIn: lifetimeMs } = options;
      if (role === undefined) throw new UsageError(`--role is required: ${roles.join(", ")}`);
      const by = actorOfShell(terminal.env);
      const wanted = { name: args[0] ?? "", role };
      if (passwordStdin) {
        const account = await accountManagement.add(
          { ...wanted, password: await readPassword(terminal) },
          { by },
        );
        if (options.json) printJson(terminal.out, shape(account));
        else terminal.err.write(`created the account ${account.name} (${role})\n`);
        return;
      }
      const { account, ...link } = accountManagement.invite({ ...wanted, lifetimeMs }, { by });
      printLink(link, { account, config, json: options.json, terminal });
    }),
});

const setRole = command({
  name: "role",
  arguments: "<name> <role>",
  summary: "change the role of an account",
  details: `Roles: ${roles.join(", ")}. The change takes effect at the account's next request.`,
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch users role alice administrator", "make alice an administrator"]],
  run: ({ args: [name = "", given], options, terminal }) =>
    change(name, { options, terminal }, "changed the role of", ({ accountManagement }, { seq }) => {
      const role = roles.find((one) => one === given);
      if (role === undefined) throw new UsageError(`the role must be one of ${roles.join(", ")}`);
      accountManagement.setRole(seq, role, { by: actorOfShell(terminal.env) });
    }),
});

const disable = command({
  name: "disable",
  arguments: "<name>",
  summary: "disable an account and end its sessions",
  flags: { json: jsonFlag, config: configFlag },
  run: ({ args: [name = ""], options, terminal }) =>
    change(name, { options, terminal }, "disabled", ({ accountManagement }, { seq }) =>
      accountManagement.disable(seq, { by: actorOfShell(terminal.env) }),
    ),
});

const enable = command({
  name: "enable",
  arguments: "<name>",
  summary: "enable a disabled account",
  flags: { json: jsonFlag, config: configFlag },
  run: ({ args: [name = ""], options, terminal }) =>
    change(name, { options, terminal }, "enabled", ({ accountManagement }, { seq }) =>
      accountManagement.enable(seq, { by: actorOfShell(terminal.env) }),
    ),
});

const reset = command({
  name: "reset",
  arguments: "<name>",
  summary: "replace a lost password, or remove lost one-time codes",
  flags: {
    passwordStdin: passwordFlag,
    codes: toggle("--codes", "remove the one-time codes and recovery codes; the password stays"),
    expiresIn: linkLifetime,
    json: jsonFlag,
    config: configFlag,
  },
  run: ({ args: [name = ""], options, terminal }) =>
    withAppliance({ terminal, options }, async ({ accounts, accountManagement }, config) => {
      const { passwordStdin, codes, expiresIn: lifetimeMs, json } = options;
      if (passwordStdin && codes) throw new UsageError("use either --password-stdin or --codes");
      const account = accounts.require(name);
      const { seq } = account;
      const by = actorOfShell(terminal.env);
      if (!passwordStdin && !codes)
        return printLink(accountManagement.reset(seq, { lifetimeMs }, { by }), {
          account,
          config,
          json,
          terminal,
        });
      if (codes) accountManagement.removeCodes(seq, { by });
      else await accountManagement.setPassword(seq, await readPassword(terminal), { by });
      if (json) printJson(terminal.out, shape(accounts.require(seq)));
      else
        terminal.err.write(
          `${codes ? "removed the one-time codes" : "set the password"} of ${account.name}\n`,
        );
    }),
});

type Session = ReturnType<ReturnType<App["openSignIn"]>["sessions"]["list"]>[number];

const sessionColumns: Column<Session>[] = [
  { title: "SIGNED IN", cell: ({ createdAt }) => shortTime(createdAt) },
  { title: "LAST SEEN", cell: ({ lastSeenAt }) => shortTime(lastSeenAt) },
  { title: "ADDRESS", cell: ({ address }) => address ?? "unknown" },
  { title: "BROWSER", cell: ({ userAgent }) => userAgent, elastic: true },
];

const sessions = command({
  name: "sessions",
  arguments: "<name>",
  summary: "list the sessions of an account, or end them",
  flags: { end: toggle("--end", "end all sessions of the account"), json: jsonFlag, config: configFlag },
  run: ({ args: [name = ""], options, terminal }) =>
    withAppliance({ terminal, options }, ({ accounts, accountManagement, openSignIn }) => {
      const account = accounts.require(name);
      const rows = openSignIn().sessions.list(account.seq);
      if (options.end) accountManagement.endSessions(account.seq, { by: actorOfShell(terminal.env) });
      if (options.json) for (const session of rows) printJson(terminal.out, sessionShape(session));
      else if (options.end)
        terminal.err.write(`ended ${counted(rows.length, "session")} of ${account.name}\n`);
      else printRows(terminal, rows, { columns: sessionColumns, none: `no sessions of ${account.name}` });
    }),
});

/** Runs a change of one account and reports the result. */
function change(
  name: string,
  { options, terminal }: { options: { json: boolean; config: string | undefined }; terminal: Terminal },
  done: string,
  work: (appliance: App, account: Account) => void,
): Promise<void> {
  return withAppliance({ terminal, options }, (appliance) => {
    const account = appliance.accounts.require(name);
    work(appliance, account);
    const changed = appliance.accounts.require(account.seq);
    if (options.json) printJson(terminal.out, shape(changed));
    else terminal.err.write(`${done} ${changed.name} (${changed.role})\n`);
  });
}

function printLink(
  { token, expiresAt }: NewLink,
  {
    account,
    config,
    json,
    terminal,
  }: { account: Account; config: Pick<Config, "server">; json: boolean; terminal: Terminal },
): void {
  const link = `${config.server.publicUrl}${invitationPath(token)}`;
  if (json) {
    printJson(terminal.out, { ...shape(account), link, link_expires_at: toIsoTime(expiresAt) });
    return;
  }
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
  const { name, role, origin, password, hasCodes, createdAt, lastSignInAt, disabledAt } = account;
  return {
    name,
    role,
    origin,
    has_password: password !== null,
    has_codes: hasCodes,
    created_at: toIsoTime(createdAt),
    last_sign_in_at: optionalIsoTime(lastSignInAt),
    disabled_at: optionalIsoTime(disabledAt),
  };
}

function sessionShape({ createdAt, lastSeenAt, address, userAgent }: Session) {
  return {
    created_at: toIsoTime(createdAt),
    last_seen_at: toIsoTime(lastSeenAt),
    address,
    user_agent: userAgent,
  };
}

export const usersCommands: CommandGroup = {
  name: "users",
  summary: "manage accounts of the console",
  commands: [list, add, setRole, disable, enable, reset, sessions],
};
