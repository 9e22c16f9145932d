import { optionalIsoTime, toIsoTime } from "../../platform/lib/clock.ts";
import { parseDuration } from "../../platform/lib/durations.ts";
import { grouped } from "../../platform/lib/wording.ts";
import {
  describeFilter,
  listAddress,
  type List,
  type ListFilter,
} from "../../response/outputs/block-lists/list.ts";
import { blockListFormats } from "../../platform/vocabulary/lists.ts";
import { severities, statuses } from "../../platform/vocabulary/threats.ts";
import { UsageError, type OptionsOf } from "../terminal/command.ts";
import { choice, choices, text, texts, toggle } from "../terminal/flags.ts";
import { printJson, shortTime, type Column } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { originText } from "./recipient-state.ts";

/** Flags for the filter of a list, of `lists add` and `lists change`. */
export const filterFlags = {
  status: choices("--status <status>", statuses, "list threats with this status"),
  minSeverity: choice("--min-severity <severity>", severities, "minimum severity", undefined),
  verified: choice(
    "--verified <yes|no>",
    ["yes", "no"],
    "only threats whose name is known to exist or whose page was seen",
    undefined,
  ),
  domain: texts("--domain <domain>", "only threats to this protected domain"),
  allDomains: toggle("--all-domains", "threats to all protected domains"),
  maxAge: text(
    "--max-age <duration>",
    `list a threat for this long after it was first seen, such as 30d; "" for always`,
  ),
};

/** Returns the parts of the filter that were given. */
export function readFilter(options: OptionsOf<typeof filterFlags>): Partial<ListFilter> {
  const { status, minSeverity, verified, domain, allDomains, maxAge } = options;
  if (allDomains && domain.length > 0) throw new UsageError("use either --all-domains or --domain");
  return {
    ...(status.length === 0 ? {} : { statuses: status }),
    ...(minSeverity === undefined ? {} : { minSeverity }),
    ...(verified === undefined ? {} : { verifiedOnly: verified === "yes" }),
    ...(domain.length === 0 ? {} : { protectedDomains: domain }),
    ...(allDomains ? { protectedDomains: [] } : {}),
    ...(maxAge === undefined ? {} : { maxAgeMs: readMaxAge(maxAge) }),
  };
}

function readMaxAge(given: string): number | null {
  if (given === "") return null;
  const ms = parseDuration(given);
  if (ms === null) throw new UsageError('--max-age must be a duration such as 12h or 30d, or "" for always');
  return ms;
}

export const columns: Column<List>[] = [
  { title: "ID", cell: ({ id }) => id },
  { title: "NAME", cell: ({ name }) => name, elastic: true },
  { title: "CONTAINS", cell: describeFilter, elastic: true },
  { title: "FROM", cell: originText },
  { title: "STATE", cell: stateText },
  { title: "DOWNLOADED", cell: ({ fetchedAt }) => (fetchedAt === null ? "never" : shortTime(fetchedAt)) },
];

function stateText({ enabled, disabledReason }: List): string {
  return enabled ? "enabled" : `disabled (${disabledReason})`;
}

export function factsOf(found: List, names: number): [name: string, value: string | null][] {
  const { contentChangedAt, fetchedAt, fetchedBy, protectedDomains } = found;
  return [
    ["id", found.id],
    ["name", found.name],
    ["contains", describeFilter(found)],
    ["protected domains", protectedDomains.join(", ") || "all"],
    ["names", grouped(names)],
    ["changed", toIsoTime(contentChangedAt)],
    ["from", originText(found)],
    ["state", stateText(found)],
    [
      "downloaded",
      fetchedAt === null ? null : `${toIsoTime(fetchedAt)}${fetchedBy === null ? "" : ` by ${fetchedBy}`}`,
    ],
  ];
}

/** Returns the JSON form in command output; programs read its field names. */
export function shape(found: List) {
  const {
    id,
    name,
    statuses: wanted,
    minSeverity,
    verifiedOnly,
    protectedDomains,
    maxAgeMs,
    enabled,
  } = found;
  return {
    id,
    name,
    statuses: wanted,
    min_severity: minSeverity,
    verified_only: verifiedOnly,
    protected_domains: protectedDomains,
    max_age_ms: maxAgeMs,
    enabled,
    disabled_reason: found.disabledReason,
    origin: found.origin,
    names: found.names,
    changed_at: toIsoTime(found.contentChangedAt),
    downloaded_at: optionalIsoTime(found.fetchedAt),
    downloaded_by: found.fetchedBy,
    created_at: toIsoTime(found.createdAt),
  };
}

export function addressesOf(found: List, publicUrl: string): [format: string, address: string][] {
  return blockListFormats.map((format) => [format, listAddress(found, format, publicUrl)]);
}

export function printAddress(
  found: List,
  publicUrl: string,
  { options, terminal }: { options: { json: boolean }; terminal: Terminal },
): void {
  const addresses = addressesOf(found, publicUrl);
  if (options.json) printJson(terminal.out, { ...shape(found), addresses: Object.fromEntries(addresses) });
  else terminal.out.write(`${addresses[0]![1]}\n`);
}
