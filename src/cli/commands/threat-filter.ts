import { readPastedName } from "../../detection/names/pasted-name.ts";
import { visible } from "../../lib/safe-text.ts";
import type { SearchFilter } from "../../threat-index/filter.ts";
import { parseNameQuery, type NameQuery } from "../../threat-index/columns/name-query.ts";
import {
  severities,
  statuses,
  threatSources,
  threatTypes,
  type Severity,
  type Status,
  type ThreatSource,
  type ThreatType,
} from "../../vocabulary/threats.ts";
import { UsageError } from "../terminal/command.ts";
import { choice, number, text, time } from "../terminal/flags.ts";

/** Options that select threats, wherever threats are listed. */
export const filterFlags = {
  domain: text("--domain <domain>", "only look-alikes of this protected domain"),
  status: choice("--status <status>", statuses, "only threats with this status", undefined),
  severity: choice("--severity <severity>", severities, "only threats with this severity", undefined),
  type: choice("--type <type>", threatTypes, "only threats of this type", undefined),
  source: choice("--source <source>", threatSources, "only threats that were detected this way", undefined),
  name: text(
    "--name <part>",
    "only threats whose name contains this text, in any form; pay* matches the beginning",
  ),
  since: time("--since <time>", "only threats that were created or changed at this time or later"),
  minSimilarity: number(
    "--min-similarity <number>",
    { minimum: 0, maximum: 1, whole: false },
    "only threats with at least this similarity, 0 to 1",
    undefined,
  ),
};

interface FilterOptions {
  domain: string | undefined;
  status: Status | undefined;
  severity: Severity | undefined;
  type: ThreatType | undefined;
  source: ThreatSource | undefined;
  name: string | undefined;
  since: number | undefined;
  minSimilarity: number | undefined;
}

/** @throws UsageError */
export function filterOf({
  domain,
  status,
  severity,
  type,
  source,
  name,
  since,
  minSimilarity,
}: FilterOptions): SearchFilter {
  return {
    protectedDomain: domain === undefined ? undefined : protectedName(domain),
    status,
    severity,
    type,
    source,
    text: name === undefined ? undefined : nameQuery(name),
    changedSince: since,
    minSimilarity,
  };
}

function protectedName(given: string): string {
  const normalized = readPastedName(given);
  if ("name" in normalized) return normalized.name;
  throw new UsageError(`--domain "${visible(given, 100)}" is not a domain name: it ${normalized.error}`);
}

function nameQuery(given: string): NameQuery {
  const query = parseNameQuery(given);
  if (query !== undefined) return query;
  throw new UsageError(`--name "${visible(given, 100)}" contains no part of a name`);
}
