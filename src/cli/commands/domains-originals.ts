import { jsonFields } from "../../platform/lib/key-names.ts";
import type { App } from "../../app/app.ts";
import type { ProtectedDomain } from "../../threats/domains/domains.ts";
import { describeProblem } from "../../facts/inspection/originals/capture-problems.ts";
import type { OriginalState } from "../../facts/inspection/originals/originals.ts";
import { originalRoles } from "../../facts/inspection/model/original.ts";
import { optionalIsoTime, toIsoTime } from "../../platform/lib/clock.ts";
import { FieldError } from "../../platform/lib/errors.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { withAppliance } from "../appliance/with-appliance.ts";
import { command, UsageError } from "../terminal/command.ts";
import { choice, configFlag, jsonFlag, text, toggle } from "../terminal/flags.ts";
import { printJson, printRows, type Column } from "../terminal/table.ts";
import { shellWord } from "../../platform/lib/shell-word.ts";

const columns: Column<OriginalState>[] = [
  { title: "ROLE", cell: ({ original }) => original.role },
  { title: "ADDRESS", cell: ({ original }) => visible(original.address, 300), elastic: true },
  {
    title: "CAPTURED",
    cell: ({ original: { capturedAt } }) => (capturedAt === null ? "never" : toIsoTime(capturedAt)),
  },
  { title: "STATE", cell: stateOf, elastic: true },
];

function stateOf({ original: { problem }, versions }: OriginalState): string {
  if (problem !== null) return visible(describeProblem(problem), 300);
  if (versions.some(({ state }) => state === "waiting"))
    return "changed entirely; accept or reject it in the console";
  return versions.some(({ state }) => state === "accepted") ? "captured" : "waiting for its first capture";
}

/** Lists the original pages of a domain, adds or removes one, or requests a capture. */
export const originalsCommand = command({
  name: "originals",
  arguments: "<domain>",
  summary: "list or change the original pages of a protected domain",
  flags: {
    add: text("--add <url>", "add a page"),
    role: choice("--role <role>", originalRoles, "other", "what the added page is"),
    remove: text("--remove <url>", "remove a page"),
    capture: toggle("--capture", "capture all pages as soon as the server runs"),
    json: jsonFlag,
    config: configFlag,
  },
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, async ({ database, domains, inspection: { originals } }) => {
      const domain = domains.find(args[0] ?? "");
      if (domain === undefined)
        throw new UsageError(`${visible(args[0] ?? "", 100)} is not a protected domain`);
      const by = { by: actorOfShell(terminal.env) };
      const { add: address, capture, remove, role } = options;
      database.transaction(() => {
        if (remove !== undefined) originals.remove(domain, seqOf(originals, domain, remove), by);
        if (address !== undefined) asUsage(() => originals.add(domain, { address, role }, by));
        if (capture) originals.makeDue(domain);
      });
      const pages = originals.pages(domain);
      if (options.json) for (const page of pages) printJson(terminal.out, shape(page));
      else
        printRows(terminal, pages, {
          columns,
          none: "no original pages yet; a running server captures the home page within a minute",
        });
      const isPending = address !== undefined || capture;
      if (isPending && !domain.enabled)
        terminal.err.write(`nothing is captured while ${domain.domain} is disabled\n`);
      else if (isPending && !originals.isEnabled)
        terminal.err.write("nothing is captured while lookups.enabled is false\n");
      else if (isPending) terminal.err.write("a running server captures the pages within a minute\n");
    }),
});

function seqOf(originals: App["inspection"]["originals"], domain: ProtectedDomain, address: string): number {
  const found = originals.pages(domain).find(({ original }) => original.address === address);
  if (found !== undefined) return found.original.seq;
  throw new UsageError(
    `${visible(address, 100)} is not an original page of ${domain.domain}; list them with 'phishwatch domains originals ${shellWord(domain.domain)}'`,
  );
}

function asUsage<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof FieldError ? new UsageError(error.message) : error;
  }
}

function shape({ original, versions }: OriginalState): object {
  return {
    ...jsonFields(original, "address role chosenBy capturedAt"),
    failing_since: optionalIsoTime(original.failingSince),
    problem: original.problem && describeProblem(original.problem),
    versions: versions.map((version) => ({
      state: version.state,
      title: version.fingerprint.title,
      ...jsonFields(version, "firstSeenAt lastSeenAt"),
      valid_certificate: version.secure,
    })),
  };
}
