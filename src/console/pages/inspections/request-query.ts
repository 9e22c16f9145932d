import type { PersonalRequest } from "../../../inspection/inspections.ts";

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
