import { describeWarning, wordWarnings } from "../../detection/brand/word-warnings.ts";
import type { ProtectedDomain } from "../../domains/domains.ts";
import { visible } from "../../lib/safe-text.ts";
import { toIsoTime } from "../../lib/clock.ts";
import { grouped } from "../../lib/wording.ts";
import { command, UsageError, type CommandGroup } from "../terminal/command.ts";
import { configFlag, jsonFlag, texts, toggle } from "../terminal/flags.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { printJson, printRows, type Column } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { withAppliance } from "../appliance/with-appliance.ts";

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

const keywordFlag = texts("--keyword <word>", "a further brand word that counts as the domain's name");
const allowFlag = texts("--allow <domain>", "a name of your own that is never a threat, with all below it");

const add = command({
  name: "add",
  arguments: "<domain>",
  summary: "protect a domain",
  details: "A running server takes it up at once. Domains of the configuration file are added there.",
  flags: {
    keyword: keywordFlag,
    allow: allowFlag,
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
      const added = await asUsage(() =>
        domains.add({ domain: args[0] ?? "", keywords, allow }, { by: actorOfShell(terminal.env) }),
      );
      if (options.json) printJson(terminal.out, shape(added));
      else terminal.err.write(`${added.domain} is protected\n`);
      await tellRemarks(added, terminal);
    }),
});

const change = command({
  name: "change",
  arguments: "<domain>",
  summary: "give a protected domain other keywords or allowed names",
  details:
    "What is given takes the place of what there was; what is not given stays. A running server follows at once. Domains of the configuration file are changed there.",
  flags: {
    keyword: keywordFlag,
    allow: allowFlag,
    clearKeywords: toggle("--clear-keywords", "no keywords any more"),
    clearAllow: toggle("--clear-allow", "no allowed names any more"),
    json: jsonFlag,
    config: configFlag,
  },
  examples: [
    ["phishwatch domains change example-shop.com --keyword exampleshop --keyword exshop", "two keywords"],
    ["phishwatch domains change example-shop.com --clear-allow", "nothing is allowed any more"],
  ],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ domains }) => {
      const keywords = listOf("keyword", options.keyword, options.clearKeywords, "--clear-keywords");
      const allow = listOf("allow", options.allow, options.clearAllow, "--clear-allow");
      if (keywords === undefined && allow === undefined)
        throw new UsageError("say what is to change: --keyword, --allow, --clear-keywords or --clear-allow");
      const changed = await asUsage(() =>
        domains.change(
          args[0] ?? "",
          { ...(keywords && { keywords }), ...(allow && { allow }) },
          { by: actorOfShell(terminal.env) },
        ),
      );
      if (options.json) printJson(terminal.out, shape(changed));
      else {
        const shown = (words: string[]) => (words.length === 0 ? "none" : visible(words.join(" "), 2_000));
        terminal.err.write(
          `${changed.domain}: keywords ${shown(changed.keywords)}; allow ${shown(changed.allow)}\n`,
        );
      }
      await tellRemarks(changed, terminal);
    }),
});

/** Undefined: it stays as it is. */
function listOf(flag: string, given: string[], clear: boolean, clearForm: string): string[] | undefined {
  if (clear && given.length > 0) throw new UsageError(`--${flag} and ${clearForm} contradict each other`);
  return clear || given.length > 0 ? given : undefined;
}

/** Reports a value that no domain can have as wrong usage. */
async function asUsage<T>(work: () => T): Promise<T> {
  try {
    return work();
  } catch (error) {
    // Imported late: the module loads much that a start does not need.
    const { DomainFieldError } = await import("../../domains/declaration.ts");
    throw error instanceof DomainFieldError ? new UsageError(error.message) : error;
  }
}

async function tellRemarks(domain: ProtectedDomain, { err }: Terminal): Promise<void> {
  for (const remark of wordWarnings(domain))
    err.write(`${visible(`brand word "${remark.word}": ${describeWarning(remark)}`, 500)}\n`);
}

const remove = command({
  name: "remove",
  arguments: "<domain>",
  summary: "protect a domain no longer",
  details:
    "Its threats stay: a domain that has some is disabled and not deleted. It says how many there are.",
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch domains remove example-shop.com", "one that was added from here"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, ({ domains, threats }) => {
      const [name = ""] = args;
      const domain = domains.find(name)?.domain ?? name;
      const kept = threats.list({ protectedDomain: domain }, { page: 1, perPage: 1 }).total;
      const outcome = domains.remove(name, { by: actorOfShell(terminal.env) });
      if (options.json) return printJson(terminal.out, { domain, outcome, threats_kept: kept });
      const threatsKept = kept === 1 ? "its 1 threat is kept" : `its ${grouped(kept)} threats are kept`;
      terminal.err.write(outcome === "removed" ? "removed\n" : `disabled: ${threatsKept}\n`);
    }),
});

function shape({ id, domain, keywords, allow, origin, enabled, createdAt }: ProtectedDomain) {
  return { id, domain, keywords, allow, origin, enabled, created_at: toIsoTime(createdAt) };
}

export const domainsCommands: CommandGroup = {
  name: "domains",
  summary: "the domains that are protected",
  commands: [list, add, change, remove],
};
