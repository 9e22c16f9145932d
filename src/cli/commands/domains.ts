import type { App } from "../../app/app.ts";
import { describeWarning, wordWarnings } from "../../engines/detection/brand/word-warnings.ts";
import { DomainFieldError } from "../../threats/domains/declaration.ts";
import { originText } from "../../access/entries/presentation.ts";
import type { ProtectedDomain } from "../../threats/domains/domains.ts";
import { toIsoTime } from "../../platform/lib/clock.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { counted, grouped } from "../../platform/lib/wording.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { withAppliance } from "../appliance/with-appliance.ts";
import { command, UsageError, type CommandGroup } from "../terminal/command.ts";
import { configFlag, jsonFlag, texts, toggle } from "../terminal/flags.ts";
import { printJson, printRows, type Column } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { originalsCommand } from "./domains-originals.ts";

const columns: Column<ProtectedDomain>[] = [
  { title: "DOMAIN", cell: ({ domain }) => domain, elastic: true },
  { title: "KEYWORDS", cell: ({ keywords }) => keywords.join(" "), elastic: true },
  { title: "ALLOW", cell: ({ allow }) => allow.join(" "), elastic: true },
  { title: "FROM", cell: originText },
  { title: "STATE", cell: ({ enabled }) => (enabled ? "protected" : "disabled") },
];

const list = command({
  name: "list",
  summary: "list the protected domains",
  flags: { json: jsonFlag, config: configFlag },
  run: ({ options, terminal }) =>
    withAppliance({ terminal, options }, ({ domains }) => {
      const rows = domains.list();
      if (options.json) for (const row of rows) printJson(terminal.out, shape(row));
      else
        printRows(terminal, rows, {
          columns,
          none: "no protected domains; add one with 'phishwatch domains add'",
        });
    }),
});

const keywordFlag = texts("--keyword <word>", "brand keyword: another word by which the domain is known");
const allowFlag = texts("--allow <domain>", "domain of yours that is never a threat, with its subdomains");

const add = command({
  name: "add",
  arguments: "<domain>",
  summary: "protect a domain",
  flags: {
    keyword: keywordFlag,
    allow: allowFlag,
    json: jsonFlag,
    config: configFlag,
  },
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ archive, domains }) => {
      const { keyword: keywords, allow } = options;
      const added = await asUsage(() =>
        domains.add({ domain: args[0] ?? "", keywords, allow }, { by: actorOfShell(terminal.env) }),
      );
      if (options.json) printJson(terminal.out, shape(added));
      else terminal.err.write(`protected ${added.domain}\n`);
      await announceCheck(archive, terminal);
      await printWarnings(added, terminal);
    }),
});

const change = command({
  name: "change",
  arguments: "<domain>",
  summary: "change the keywords or allowed domains of a protected domain",
  flags: {
    keyword: keywordFlag,
    allow: allowFlag,
    clearKeywords: toggle("--clear-keywords", "remove all keywords"),
    clearAllow: toggle("--clear-allow", "remove all allowed domains"),
    json: jsonFlag,
    config: configFlag,
  },
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ archive, domains }) => {
      const keywords = listOf("keyword", options.keyword, options.clearKeywords, "--clear-keywords");
      const allow = listOf("allow", options.allow, options.clearAllow, "--clear-allow");
      if (keywords === undefined && allow === undefined)
        throw new UsageError("nothing to change: give --keyword, --allow, --clear-keywords or --clear-allow");
      const before = domains.find(args[0] ?? "");
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
      if (changed.widenings !== before?.widenings) await announceCheck(archive, terminal);
      await printWarnings(changed, terminal);
    }),
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
async function asUsage<T>(work: () => T): Promise<T> {
  try {
    return work();
  } catch (error) {
    // Imported late: the module loads much that a start does not need.
    throw error instanceof DomainFieldError ? new UsageError(error.message) : error;
  }
}

async function printWarnings(domain: ProtectedDomain, { err }: Terminal): Promise<void> {
  for (const warning of wordWarnings(domain))
    err.write(`${visible(`brand word "${warning.word}": ${describeWarning(warning)}`, 500)}\n`);
}

const remove = command({
  name: "remove",
  arguments: "<domain>",
  summary: "stop protecting a domain",
  flags: { json: jsonFlag, config: configFlag },
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
  summary: "manage protected domains",
  commands: [list, add, change, remove, originalsCommand],
};
