import { actorOfShell } from "../appliance/shell-user.ts";
import { switchCommand } from "../appliance/switch-command.ts";
import { withAppliance } from "../appliance/with-appliance.ts";
import { blockListFormats } from "../../platform/vocabulary/lists.ts";
import { command, type CommandGroup } from "../terminal/command.ts";
import { choice, configFlag, jsonFlag, text, toggle } from "../terminal/flags.ts";
import { replaceFile } from "../terminal/replace-file.ts";
import { printJson, printRows, renderFacts } from "../terminal/table.ts";
import {
  addressesOf,
  columns,
  factsOf,
  filterFlags,
  printAddress,
  readFilter,
  shape,
} from "./block-list-output.ts";
import { readSecret } from "./webhook-settings.ts";

const tokenFlag = text(
  "--token-file <file>",
  'take the token from this file, or from standard input for "-" (default: generated)',
);

const list = command({
  name: "list",
  summary: "list the block lists (addresses are shown by 'lists show')",
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch lists list", "lists and their last downloads"]],
  run: ({ options, terminal }) =>
    withAppliance({ terminal, options }, ({ lists }) => {
      const rows = lists.list();
      if (options.json) for (const row of rows) printJson(terminal.out, shape(row));
      else printRows(terminal, rows, { columns, none: "no lists; 'phishwatch lists add' adds one" });
    }),
});

const show = command({
  name: "show",
  arguments: "<list>",
  summary: "show a block list and its addresses, which contain the token",
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch lists show block", "by name or identifier"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ lists, server }) => {
      const found = lists.get(args[0] ?? "");
      const { rows } = await lists.content(found);
      const addresses = addressesOf(found, server.publicUrl);
      if (options.json)
        printJson(terminal.out, { ...shape(lists.get(found.id)), addresses: Object.fromEntries(addresses) });
      else terminal.out.write(renderFacts([...factsOf(lists.get(found.id), rows.length), ...addresses]));
    }),
});

const add = command({
  name: "add",
  arguments: "<name>",
  summary: "add a block list",
  details: `Prints the address of the list in the format txt on standard output; 'lists show' prints the others. Without options, the
list contains active threats of high severity that are verified.`,
  flags: {
    ...filterFlags,
    tokenFile: tokenFlag,
    disabled: toggle("--disabled", "add it disabled"),
    json: jsonFlag,
    config: configFlag,
  },
  examples: [
    ["phishwatch lists add block", "verified threats of high severity"],
    [
      "phishwatch lists add watch --min-severity low --verified no --max-age 30d",
      "everything from the last 30 days",
    ],
  ],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ lists, server }) => {
      const token = await readSecret(options.tokenFile);
      const wanted = {
        name: args[0] ?? "",
        ...readFilter(options),
        enabled: !options.disabled,
        ...(token === undefined ? {} : { token }),
      };
      const added = lists.add(wanted, { by: actorOfShell(terminal.env) });
      printAddress(added, server.publicUrl, { options, terminal });
      if (!options.json) terminal.err.write(`added ${added.name} (${added.id})\n`);
    }),
});

const change = command({
  name: "change",
  arguments: "<list>",
  summary: "change the filter of a block list",
  details: "Changes only what is given. A running server uses the changes at once.",
  flags: { ...filterFlags, json: jsonFlag, config: configFlag },
  examples: [["phishwatch lists change block --min-severity medium", "list more threats"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, ({ lists }) => {
      const changed = lists.change(args[0] ?? "", readFilter(options), { by: actorOfShell(terminal.env) });
      if (options.json) printJson(terminal.out, shape(changed));
      else terminal.err.write(`changed ${changed.name} (${changed.id})\n`);
    }),
});

const rotate = command({
  name: "rotate",
  arguments: "<list>",
  summary: "replace the token of a block list; its old addresses end at once",
  details: "Prints the new address in the format txt on standard output.",
  flags: { tokenFile: tokenFlag, json: jsonFlag, config: configFlag },
  examples: [["phishwatch lists rotate block", "after an address has leaked"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ lists, server }) => {
      const token = await readSecret(options.tokenFile);
      const by = actorOfShell(terminal.env);
      const rotated = lists.rotate(args[0] ?? "", { by, ...(token === undefined ? {} : { token }) });
      printAddress(rotated, server.publicUrl, { options, terminal });
      if (!options.json)
        terminal.err.write(`${rotated.name} has a new token; its old addresses return 404\n`);
    }),
});

const enable = switchCommand({
  name: "enable",
  arguments: "<list>",
  summary: "enable a block list",
  examples: [["phishwatch lists enable block", "by name or identifier"]],
  change: (app, idOrName, by) => app.lists.enable(idOrName, by),
});

const disable = switchCommand({
  name: "disable",
  arguments: "<list>",
  summary: "disable a block list; its addresses return 404",
  details: `Works for declared lists, too. The list stays disabled, across restarts, until it is enabled. Resolvers continue to use what
they have downloaded.`,
  examples: [["phishwatch lists disable block", "by name or identifier"]],
  change: (app, idOrName, by) => app.lists.disable(idOrName, by),
});

const remove = command({
  name: "remove",
  arguments: "<list>",
  summary: "remove a block list; its addresses return 404",
  flags: { config: configFlag },
  examples: [["phishwatch lists remove block", "by name or identifier"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, ({ lists }) => {
      const { id, name } = lists.remove(args[0] ?? "", { by: actorOfShell(terminal.env) });
      terminal.err.write(`removed ${name} (${id})\n`);
    }),
});

const exportCommand = command({
  name: "export",
  arguments: "<list>",
  summary: "write a block list to standard output or a file",
  details: `Needs no running server. A file is replaced at once, so that a program never reads half of it, and only if the list has
changed: prints "changed" or "unchanged".`,
  flags: {
    format: choice("--format <format>", blockListFormats, "format", "txt"),
    output: text("--output <file>", "write to this file"),
    config: configFlag,
  },
  examples: [
    ["phishwatch lists export block --format csv", "to standard output"],
    [
      "phishwatch lists export block --format unbound --output /etc/unbound/phishwatch.conf | grep -qx changed && unbound-control reload",
      "in a scheduled job",
    ],
  ],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ lists }) => {
      const found = lists.get(args[0] ?? "");
      const bytes = await (await lists.file(found, options.format)).bytes();
      if (options.output === undefined) return terminal.out.write(Buffer.from(bytes).toString("latin1"));
      const changed = await replaceFile(options.output, bytes);
      terminal.out.write(`${changed ? "changed" : "unchanged"}\n`);
    }),
});

export const blockListCommands: CommandGroup = {
  name: "lists",
  summary: "block lists for resolvers and firewalls",
  commands: [list, show, add, change, rotate, enable, disable, remove, exportCommand],
};
