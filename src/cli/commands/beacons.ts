import { toIsoTime } from "../../lib/clock.ts";
import type { Beacon } from "../../traps/beacons.ts";
import type { Traps } from "../../traps/traps.ts";
import { command, type CommandGroup } from "../terminal/command.ts";
import { configFlag, jsonFlag, text, texts } from "../terminal/flags.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { printJson, printRows, renderFacts, shortTime, type Column } from "../terminal/table.ts";
import { countShape, countText, limitFlag, printHits, warnOfPlainHttp } from "./trap-hits.ts";
import { withAppliance } from "../appliance/with-appliance.ts";

const create = command({
  name: "create",
  arguments: "<domain>",
  summary: "make a beacon for the pages of a protected domain",
  details:
    "Prints the script element to put into the pages on standard output. It reports where a page is shown unless that is the domain, a host below it, or an allowed one.",
  flags: {
    name: text("--name <name>", "a name to call it by (default: the domain)"),
    allow: texts("--allow <host>", "a further host that may show the pages, with all below it"),
    memo: text("--memo <text>", "what for, for people"),
    json: jsonFlag,
    config: configFlag,
  },
  examples: [
    ["phishwatch beacons create example-bank.com --name sign-in > snippet.html", "for the sign-in page"],
    ["phishwatch beacons create example-bank.com --allow cdn.partner.example", "a partner shows it as well"],
  ],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, ({ traps }) => {
      const { name, allow, memo } = options;
      const beacon = traps.beacons.create(
        {
          protectedDomain: args[0] ?? "",
          allow,
          ...(name === undefined ? {} : { name }),
          ...(memo === undefined ? {} : { memo }),
        },
        actorOfShell(terminal.env),
      );
      warnOfPlainHttp(terminal, traps.publicUrl());
      if (options.json) return printJson(terminal.out, shape(beacon, traps));
      terminal.out.write(`${traps.beacons.snippets(beacon, traps.publicUrl()).script}\n`);
      terminal.err.write(`made ${beacon.name} (${beacon.id})\n`);
    }),
});

const columns: Column<Beacon & { counts: string }>[] = [
  { title: "ID", cell: ({ id }) => id },
  { title: "NAME", cell: ({ name }) => name, elastic: true },
  { title: "DOMAIN", cell: ({ protectedDomain }) => protectedDomain, elastic: true },
  { title: "VISITS", cell: ({ counts }) => counts, elastic: true },
  { title: "MADE", cell: ({ createdAt }) => shortTime(createdAt) },
  { title: "STATE", cell: ({ enabled }) => (enabled ? "enabled" : "disabled") },
];

const list = command({
  name: "list",
  summary: "list the beacons",
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch beacons list", "which there are, and what they have seen"]],
  run: ({ options, terminal }) =>
    withAppliance({ terminal, options }, ({ traps }) => {
      const rows = traps.beacons
        .list()
        .map((beacon) => ({ ...beacon, counts: countText(traps.hits.counts(beacon.id)) }));
      if (options.json) for (const row of rows) printJson(terminal.out, shape(row, traps));
      else printRows(terminal, rows, { columns, none: "no beacons; 'phishwatch beacons create' makes one" });
    }),
});

const show = command({
  name: "show",
  arguments: "<beacon>",
  summary: "show a beacon with what to put into the pages",
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch beacons show sign-in", "by name or identifier"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, ({ traps }) => {
      const beacon = traps.beacons.get(args[0] ?? "");
      if (options.json) return printJson(terminal.out, shape(beacon, traps));
      const { script, style, scriptHash } = traps.beacons.snippets(beacon, traps.publicUrl());
      warnOfPlainHttp(terminal, traps.publicUrl());
      terminal.out.write(
        renderFacts([
          ["id", beacon.id],
          ["name", beacon.name],
          ["protected domain", beacon.protectedDomain],
          ["may be shown on", beacon.own.join(" ")],
          ["memo", beacon.memo === "" ? null : beacon.memo],
          ["state", beacon.enabled ? "enabled" : "disabled"],
          ["made", toIsoTime(beacon.createdAt)],
          ["visits", countText(traps.hits.counts(beacon.id))],
        ]),
      );
      terminal.out.write(`\nFor the pages:\n\n${script}\n`);
      terminal.out.write(`\nIn a Content-Security-Policy of theirs:\n\nscript-src ${scriptHash}\n`);
      terminal.out.write(`\nWithout a script; asks at each view, also of your own visitors:\n\n${style}\n`);
    }),
});

const hits = command({
  name: "hits",
  arguments: "<beacon>",
  summary: "list where pages with a beacon were shown, newest first",
  details: "One row for each visitor; repeats within traps.repeat_after are counted in it.",
  flags: { limit: limitFlag, json: jsonFlag, config: configFlag },
  examples: [["phishwatch beacons hits sign-in", "the latest 50"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, ({ traps }) =>
      printHits(terminal, traps, traps.beacons.get(args[0] ?? ""), { ...options, of: "beacon" }),
    ),
});

const setEnabled = (name: "enable" | "disable", summary: string) =>
  command({
    name,
    arguments: "<beacon>",
    summary,
    flags: { config: configFlag },
    examples: [[`phishwatch beacons ${name} sign-in`, "by name or identifier"]],
    run: ({ args, options, terminal }) =>
      withAppliance({ terminal, options }, ({ traps }) => {
        const by = actorOfShell(terminal.env);
        const beacon = traps.beacons.setEnabled(args[0] ?? "", name === "enable", by);
        terminal.err.write(`${name}d ${beacon.name} (${beacon.id})\n`);
      }),
  });

const remove = command({
  name: "remove",
  arguments: "<beacon>",
  summary: "remove a beacon and what it has seen; its threats stay",
  flags: { config: configFlag },
  examples: [["phishwatch beacons remove sign-in", "by name or identifier"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, ({ traps }) => {
      const { id, name } = traps.beacons.remove(args[0] ?? "", actorOfShell(terminal.env));
      terminal.err.write(`removed ${name} (${id})\n`);
    }),
});

function shape(beacon: Beacon, traps: Traps) {
  const { script, style, scriptHash } = traps.beacons.snippets(beacon, traps.publicUrl());
  return {
    id: beacon.id,
    name: beacon.name,
    protected_domain: beacon.protectedDomain,
    allow: beacon.allow,
    memo: beacon.memo,
    enabled: beacon.enabled,
    created_at: toIsoTime(beacon.createdAt),
    visits: countShape(traps.hits.counts(beacon.id)),
    script,
    script_hash: scriptHash,
    style,
  };
}

export const beaconsCommands: CommandGroup = {
  name: "beacons",
  summary: "scripts for your pages that tell when somebody shows a copy of them",
  commands: [
    create,
    list,
    show,
    hits,
    setEnabled("enable", "let a beacon report again"),
    setEnabled("disable", "let a beacon report nothing any more"),
    remove,
  ],
};
