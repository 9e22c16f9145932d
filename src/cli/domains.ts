import type { ProtectedDomain } from "../domains/domains.ts";
import { visible } from "../lib/safe-text.ts";
import { toIsoTime } from "../lib/clock.ts";
import { command, type CommandGroup } from "./command.ts";
import { configFlag, jsonFlag, texts } from "./flags.ts";
import { printJson, printRows, type Column } from "./table.ts";
import { withAppliance } from "./with-appliance.ts";

const columns: Column<ProtectedDomain>[] = [
  { title: "DOMAIN", cell: ({ domain }) => domain, elastic: true },
  { title: "KEYWORDS", cell: ({ keywords }) => keywords.join(" "), elastic: true },
  { title: "ALLOW", cell: ({ allow }) => allow.join(" "), elastic: true },
  { title: "FROM", cell: ({ origin }) => (origin === "file" ? "configuration" : "added") },
  { title: "STATE", cell: ({ enabled }) => (enabled ? "protected" : "disabled") },
];

const list = command({
  name: "list",
  summary: "list the protected domains",
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch domains list", "what is protected"]],
  run: ({ options, terminal }) =>
    withAppliance({ terminal, options }, ({ domains }) => {
      const rows = domains.list();
      if (options.json) for (const row of rows) printJson(terminal.out, shape(row));
      else
        printRows(terminal, rows, {
          columns,
          none: "no protected domains; 'phishwatch domains add' adds one",
        });
    }),
});

const add = command({
  name: "add",
  arguments: "<domain>",
  summary: "protect a domain",
  details: "A running server takes it up at once. Domains of the configuration file are added there.",
  flags: {
    keyword: texts("--keyword <word>", "a further brand word that counts as the domain's name"),
    allow: texts("--allow <domain>", "a name of your own that is never a threat, with all below it"),
    json: jsonFlag,
    config: configFlag,
  },
  examples: [
    [
      "phishwatch domains add example-shop.com --keyword exampleshop --allow example-shop.net",
      "with what belongs to it",
    ],
  ],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ domains }) => {
      const { keyword: keywords, allow } = options;
      const added = domains.add({ domain: args[0] ?? "", keywords, allow });
      if (options.json) printJson(terminal.out, shape(added));
      else terminal.err.write(`${added.domain} is protected\n`);
      const { describeRemark, remarksOn } = await import("../detection/word-remarks.ts");
      for (const remark of remarksOn(added)) {
        const what = `brand word "${remark.word}"`;
        terminal.err.write(`${visible(`${what}: ${describeRemark(remark)}`, 500)}\n`);
      }
    }),
});

const remove = command({
  name: "remove",
  arguments: "<domain>",
  summary: "protect a domain no longer",
  details: "Its threats stay: a domain that has some is disabled and not deleted.",
  flags: { config: configFlag },
  examples: [["phishwatch domains remove example-shop.com", "one that was added from here"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, ({ domains }) => {
      const [domain = ""] = args;
      const outcome = domains.remove(domain);
      terminal.err.write(outcome === "removed" ? "removed\n" : "disabled: its threats are kept\n");
    }),
});

function shape({ id, domain, keywords, allow, origin, enabled, createdAt }: ProtectedDomain) {
  return { id, domain, keywords, allow, origin, enabled, created_at: toIsoTime(createdAt) };
}

export const domainsCommands: CommandGroup = {
  name: "domains",
  summary: "the domains that are protected",
  commands: [list, add, remove],
};
