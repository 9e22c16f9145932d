import type { Inspection, PersonalRequest } from "../../../inspection/inspections.ts";
import { inspectionsPath, pathWith } from "../../kit/paths.ts";

/** Adds the parameters that limit the list of inspections to what a person requested at once. */
export function withRequest(query: URLSearchParams, { by, first, last }: PersonalRequest): URLSearchParams {
  const limited = new URLSearchParams(query);
  limited.set("by", by);
  limited.set("first", first);
  limited.set("last", last);
  return limited;
}

/** Returns the request that the list is limited to, if any. */
export function requestIn(query: URLSearchParams): PersonalRequest | undefined {
  const [by, first, last] = [query.get("by"), query.get("first"), query.get("last")];
  return by === null || first === null || last === null ? undefined : { by, first, last };
}

/** Returns the address of the list that is limited to what a feed, an API key or an account named. */
export function inspectionsFrom({ kind, name }: Inspection["origin"]): string {
  return pathWith(inspectionsPath, new URLSearchParams({ origin: kind, name }));
}

/** Returns the feed, API key or account that the list is limited to, if any. */
export function originOf(query: URLSearchParams): Inspection["origin"] | undefined {
  const [kind, name] = [query.get("origin"), query.get("name")];
  return kind === null || name === null ? undefined : { kind, name };
}

/** Returns the parameters that limit the list and that no field of the form sets. */
export function fixedLimits(query: URLSearchParams): [name: string, value: string][] {
  return [...query].filter(([name]) => ["by", "first", "last", "origin", "name"].includes(name));
}
