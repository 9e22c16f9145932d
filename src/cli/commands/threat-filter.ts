import { wordsForPeople } from "../../access/accounts/account-names.ts";
import { readPastedName } from "../../engines/detection/names/pasted-name.ts";
import { systemClock } from "../../platform/lib/clock.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import type { SearchFilter } from "../../threats/index/filter.ts";
import { parseNameQuery, type NameQuery } from "../../threats/index/columns/name-query.ts";
import { severities, statuses, threatSources, threatTypes } from "../../platform/vocabulary/threats.ts";
import { siteStates } from "../../platform/vocabulary/site.ts";
import { type OptionsOf, UsageError } from "../terminal/command.ts";
import { choice, choices, number, text, time, toggle } from "../terminal/flags.ts";

/** Options that select threats, wherever threats are listed. */
export const filterFlags = {
  domain: text("--domain <domain>", "only look-alikes of this protected domain"),
  status: choice("--status <status>", statuses, undefined, "only threats with this status"),
  severity: choice("--severity <severity>", severities, undefined, "only threats with this severity"),
  type: choice("--type <type>", threatTypes, undefined, "only threats of this type"),
  source: choice("--source <source>", threatSources, undefined, "only threats that were detected this way"),
  name: text(
    "--name <part>",
    "only threats whose name contains this text, in any form; pay* matches the beginning",
  ),
  since: time("--since <time>", "only threats that were created or changed at this time or later"),
  assignee: text("--assignee <name>", "only threats that are assigned to this user; none: to nobody"),
  overdue: toggle("--overdue", "only active threats whose due time is past"),
  siteStates: choices("--site-state <state>", siteStates, "only threats whose site is in this state"),
  campaign: number(
    "--campaign <number>",
    { minimum: 1, maximum: Number.MAX_SAFE_INTEGER, whole: true },
    undefined,
    "only threats of this campaign",
  ),
  minSimilarity: number(
    "--min-similarity <number>",
    { minimum: 0, maximum: 1, whole: false },
    undefined,
    "only threats with at least this similarity, 0 to 1",
  ),
};

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
  assignee,
  overdue,
  siteStates: states,
  campaign,
}: OptionsOf<typeof filterFlags>): SearchFilter {
  return {
    protectedDomain: domain === undefined ? undefined : protectedName(domain),
    status,
    severity,
    type,
    source,
    text: name === undefined ? undefined : nameQuery(name),
    changedSince: since,
    minSimilarity,
    assignee: assignee === wordsForPeople.nobody ? null : assignee,
    overdueAt: overdue ? systemClock.now() : undefined,
    siteStates: states.length === 0 ? undefined : states,
    campaignSeq: campaign,
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
