import { jsonFields } from "../../platform/lib/key-names.ts";
import type { App } from "../../app/app.ts";
import type { ProtectedDomain } from "../../threats/domains/domains.ts";
import { describeProblem } from "../../facts/inspection/originals/capture-problems.ts";
import type { OriginalState } from "../../facts/inspection/originals/originals.ts";
import { originalRoles } from "../../facts/inspection/model/original.ts";
import { optionalIsoTime, toIsoTime } from "../../platform/lib/clock.ts";
import { FieldError } from "../../platform/lib/errors.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { appCommand } from "../appliance/app-command.ts";
import { UsageError } from "../terminal/command.ts";
import { choice, jsonFlag, text, toggle } from "../terminal/flags.ts";
import { printList, type Column } from "../terminal/table.ts";
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
export const originalsCommand = appCommand({
  name: "originals",
  arguments: "<domain>",
  flags: {
    add: text("--add <url>"),
    role: choice("--role <role>", originalRoles, "other"),
    remove: text("--remove <url>"),
    capture: toggle("--capture"),
    json: jsonFlag,
  },
  run({ app, args: [name = ""], by, options, terminal }) {
    const { originals } = app.inspection;
    const domain = app.domains.find(name);
    if (domain === undefined) throw new UsageError(`${visible(name, 100)} is not a protected domain`);
    const { add: address, capture, remove, role } = options;
    app.database.transaction(() => {
      if (remove !== undefined) originals.remove(domain, seqOf(originals, domain, remove), { by });
      if (address !== undefined) asUsage(() => originals.add(domain, { address, role }, { by }));
      if (capture) originals.makeDue(domain);
    });
    printList({ options, terminal }, originals.pages(domain), {
      columns,
      json: shape,
      none: "no original pages yet; a running server captures the home page within a minute",
    });
    const isPending = address !== undefined || capture;
    if (isPending && !domain.enabled)
      terminal.err.write(`nothing is captured while ${domain.domain} is disabled\n`);
    else if (isPending && !originals.isEnabled)
      terminal.err.write("nothing is captured while lookups.enabled is false\n");
    else if (isPending) terminal.err.write("a running server captures the pages within a minute\n");
  },
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
