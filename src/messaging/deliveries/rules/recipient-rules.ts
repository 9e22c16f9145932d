import { FieldError, badRequest } from "../../../platform/lib/errors.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { eventTypes, type EventType } from "../../../platform/vocabulary/events.ts";
import { normalizeHostName } from "../../../engines/detection/names/name.ts";
import type { EventFilter } from "../../../threats/events/event-filter.ts";
import { severities, threatSources, threatTypes } from "../../../platform/vocabulary/threats.ts";

const nameCharactersMax = 100;
const concurrencyMax = 256;
const ratePerSecondMax = 10_000;

/**
 * @param idPrefixes prefixes of identifiers: everything that takes a name also takes an identifier
 * @throws PublicError if the name is empty, too long, has characters that are not visible, or begins like an identifier
 */
export function checkName(name: string, idPrefixes: readonly string[]): string {
  const prefix = idPrefixes.find((one) => name.startsWith(`${one}_`));
  if (prefix !== undefined) throw new FieldError("name", `a name cannot begin with ${prefix}_`);
  if (name.trim() !== name || name === "" || name.length > nameCharactersMax || visible(name) !== name)
    throw new FieldError("name", `a name has 1 to ${nameCharactersMax} visible characters`);
  return name;
}

/**
 * Returns a name that is not taken, made from `base`.
 * @param base such as a host name
 */
export function freeName(base: string, isTaken: (name: string) => boolean): string {
  const start = base.slice(0, nameCharactersMax - 10);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? start : `${start}-${number}`;
    if (!isTaken(name)) return name;
  }
}

/** Returns the types in their usual order. @throws PublicError for an unknown type */
export function checkEvents(types: readonly string[]): EventType[] {
  const known: readonly string[] = eventTypes;
  const unknown = types.find((type) => !known.includes(type));
  if (unknown !== undefined)
    throw new FieldError(
      "events",
      `${visible(unknown, 100)} is not an event type; use ${eventTypes.join(", ")}`,
    );
  return eventTypes.filter((type) => types.includes(type));
}

/** @throws PublicError */
export function checkConcurrency(value: number | null): number | null {
  if (value === null || (Number.isInteger(value) && value > 0 && value <= concurrencyMax)) return value;
  throw new FieldError("concurrency", `concurrency is a whole number from 1 to ${concurrencyMax}`);
}

/** @throws PublicError */
export function checkRate(value: number | null): number | null {
  if (value === null || (value > 0 && value <= ratePerSecondMax)) return value;
  throw new FieldError("rate", `the rate limit is a number above 0 and at most ${ratePerSecondMax}`);
}

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
