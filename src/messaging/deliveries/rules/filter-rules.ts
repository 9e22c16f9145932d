import { normalizeHostName } from "../../../engines/detection/names/name.ts";
import type { EventFilter } from "../../../threats/events/event-filter.ts";
import { badRequest } from "../../../platform/lib/errors.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { severities, threatSources, threatTypes } from "../../../platform/vocabulary/threats.ts";

const protectedDomainsMax = 10_000;

/** Returns the filter in its normal form. @throws PublicError `bad_request` with what to change */
export function checkFilter(filter: EventFilter): EventFilter {
  const { minSeverity, protectedDomains, types, sources, verifiedOnly } = filter;
  if (!severities.includes(minSeverity))
    throw badRequest(`the minimum severity must be one of ${severities.join(", ")}`);
  if (protectedDomains.length > protectedDomainsMax)
    throw badRequest(`a filter has at most ${protectedDomainsMax} protected domains`);
  const names = protectedDomains.map((domain) => {
    const result = normalizeHostName(domain);
    if ("error" in result) throw badRequest(`"${visible(domain, 100)}" is not a domain: ${result.error}`);
    return result.name;
  });
  return {
    minSeverity,
    protectedDomains: [...new Set(names)],
    types: inOrder(threatTypes, types, "threat type"),
    sources: inOrder(threatSources, sources, "source"),
    verifiedOnly,
  };
}

/** Returns the given values in their usual order, each once. @throws PublicError `bad_request` for another value */
export function inOrder<T extends string>(known: readonly T[], given: readonly T[], what: string): T[] {
  const unknown = given.find((value) => !known.includes(value));
  if (unknown !== undefined)
    throw badRequest(`${visible(unknown, 100)} is no ${what}; use ${known.join(", ")}`);
  return known.filter((value) => given.includes(value));
}
