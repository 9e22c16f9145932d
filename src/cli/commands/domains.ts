import { originText } from "../../access/entries/presentation.ts";
import type { App } from "../../app/app.ts";
import { describeWarning, wordWarnings } from "../../engines/detection/brand/word-warnings.ts";
import { jsonFields } from "../../platform/lib/key-names.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { counted, grouped } from "../../platform/lib/wording.ts";
import { DomainFieldError } from "../../threats/domains/declaration.ts";
import type { ProtectedDomain } from "../../threats/domains/domains.ts";
import { appCommand } from "../appliance/app-command.ts";
import { UsageError, type CommandGroup } from "../terminal/command.ts";
import { jsonFlag, texts, toggle } from "../terminal/flags.ts";
import { printJson, printList, type Column } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { originalsCommand } from "./domains-originals.ts";

const columns: Column<ProtectedDomain>[] = [
  { title: "DOMAIN", cell: ({ domain }) => domain, elastic: true },
  { title: "KEYWORDS", cell: ({ keywords }) => keywords.join(" "), elastic: true },
  { title: "ALLOW", cell: ({ allow }) => allow.join(" "), elastic: true },
  { title: "FROM", cell: originText },
  { title: "STATE", cell: ({ enabled }) => (enabled ? "protected" : "disabled") },
];

const list = appCommand({
  name: "list",
  flags: { json: jsonFlag },
  run: ({ app: { domains }, ...call }) =>
    printList(call, domains.list(), {
      columns,
      json: shape,
      none: "no protected domains; add one with 'phishwatch domains add'",
    }),
});

const contentFlags = {
  keyword: texts("--keyword <word>", "brand keyword: another word by which the domain is known"),
  allow: texts("--allow <domain>", "domain of yours that is never a threat, with its subdomains"),
};

const add = appCommand({
  name: "add",
  arguments: "<domain>",
  flags: { ...contentFlags, json: jsonFlag },
  async run({ app: { archive, domains }, args: [domain = ""], by, options, terminal }) {
    const { keyword: keywords, allow } = options;
    const added = asUsage(() => domains.add({ domain, keywords, allow }, { by }));
    if (options.json) printJson(terminal.out, shape(added));
    else terminal.err.write(`protected ${added.domain}\n`);
    await announceCheck(archive, terminal);
    printWarnings(added, terminal);
  },
});

const change = appCommand({
  name: "change",
  arguments: "<domain>",
  flags: {
    ...contentFlags,
    clearKeywords: toggle("--clear-keywords"),
    clearAllow: toggle("--clear-allow"),
    json: jsonFlag,
  },
  async run({ app: { archive, domains }, args: [domain = ""], by, options, terminal }) {
    const keywords = listOf("keyword", options.keyword, options.clearKeywords, "--clear-keywords");
    const allow = listOf("allow", options.allow, options.clearAllow, "--clear-allow");
    if (keywords === undefined && allow === undefined)
      throw new UsageError("nothing to change: give --keyword, --allow, --clear-keywords or --clear-allow");
    const before = domains.find(domain);
    const changed = asUsage(() => domains.change(domain, { keywords, allow }, { by }));
    if (options.json) printJson(terminal.out, shape(changed));
    else {
      const shown = (words: string[]) => (words.length === 0 ? "none" : visible(words.join(" "), 2_000));
      terminal.err.write(
        `${changed.domain}: keywords ${shown(changed.keywords)}; allow ${shown(changed.allow)}\n`,
      );
    }
    if (changed.widenings !== before?.widenings) await announceCheck(archive, terminal);
    printWarnings(changed, terminal);
  },
});

/** Returns the new list, or undefined to keep the existing one. */
function listOf(flag: string, given: string[], clear: boolean, clearForm: string): string[] | undefined {
  if (clear && given.length > 0) throw new UsageError(`--${flag} and ${clearForm} cannot be combined`);
  return clear || given.length > 0 ? given : undefined;
}

/** Says that the server checks the names seen before, if there are any. */
async function announceCheck(archive: App["archive"], { err }: Terminal): Promise<void> {
  if (!archive.status().enabled) return;
  const { names } = await archive.extent();
  if (names === 0) return;
  err.write(
    `the server checks the ${counted(names, "name")} seen before: now if it is running, otherwise at its next start\n`,
  );
}

/** Reports an invalid value of a domain as incorrect usage. */
function asUsage<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof DomainFieldError ? new UsageError(error.message) : error;
  }
}

function printWarnings(domain: ProtectedDomain, { err }: Terminal): void {
  for (const warning of wordWarnings(domain))
    err.write(`${visible(`brand word "${warning.word}": ${describeWarning(warning)}`, 500)}\n`);
}

const remove = appCommand({
  name: "remove",
  arguments: "<domain>",
  flags: { json: jsonFlag },
  run({ app: { domains, threats }, args: [name = ""], by, options, terminal }) {
    const domain = domains.find(name)?.domain ?? name;
    const kept = threats.list({ protectedDomain: domain }, { page: 1, perPage: 1 }).total;
    const outcome = domains.remove(name, { by });
    if (options.json) return printJson(terminal.out, { domain, outcome, threats_kept: kept });
    const threatsKept = kept === 1 ? "its 1 threat is kept" : `its ${grouped(kept)} threats are kept`;
    terminal.err.write(outcome === "removed" ? "removed\n" : `disabled: ${threatsKept}\n`);
  },
});

const shape = (domain: ProtectedDomain) =>
  jsonFields(domain, "id domain keywords allow origin enabled createdAt");

export const domainsCommands: CommandGroup = {
  name: "domains",
  commands: [list, add, change, remove, originalsCommand],
};
