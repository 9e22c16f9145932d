import { normalizeName } from "../../../detection/names/name.ts";
import { threatTypes } from "../../../vocabulary/threats.ts";
import type { Instant } from "../../../lib/clock.ts";
import { badRequest, PublicError } from "../../../lib/errors.ts";
import { readNameSearch } from "../../../threat-index/names-in-memory.ts";
import { sortKeys, type SearchFilter, type SearchOrder, type SortKey } from "../../../threat-index/search.ts";
import { severities, sources, statuses } from "../../../vocabulary/threats.ts";
import { indicators } from "../../../threat-index/indicators.ts";
import { dayIn } from "../../kit/fields.ts";
import { threatsPath } from "../../kit/paths.ts";

/** What the address of the list says: it is a view that can be kept and handed on. */
export interface ListRequest {
  filter: SearchFilter;
  order: SearchOrder;
  /** The parameters that say something, in a settled order; without those of pages and messages. */
  query: URLSearchParams;
}

const dayMs = 86_400_000;
const defaultSort: SortKey = "severity";

/** In this order they stand in an address. */
const parameterNames = "q status severity domain type source sign from to similarity sort order".split(" ");

/**
 * Says nothing of the status: what is still to be decided. Nothing of the order: most severe first.
 * @throws PublicError `bad_request` for a value that cannot be.
 */
export function readListRequest(given: URLSearchParams): ListRequest {
  const query = new URLSearchParams();
  for (const name of parameterNames) {
    const value = given.get(name);
    if (value !== null && value !== "") query.set(name, value);
  }
  const filter: SearchFilter = {
    text: readNameSearch(query.get("q") ?? ""),
    status: query.get("status") === "all" ? undefined : (oneOf(query, "status", statuses) ?? "active"),
    severity: oneOf(query, "severity", severities),
    type: oneOf(query, "type", threatTypes),
    source: oneOf(query, "source", sources),
    indicator: oneOf(query, "sign", indicators),
    protectedDomain: domainOf(query),
    from: dayOf(query, "from"),
    before: endOf(dayOf(query, "to")),
    minSimilarity: similarityOf(query),
  };
  const key = oneOf(query, "sort", sortKeys) ?? defaultSort;
  const order = oneOf(query, "order", ["asc", "desc"] as const) ?? usualOrder(key);
  return { filter, order: { key, descending: order === "desc" }, query };
}

/** Names from a to z, everything else from the most or the newest. */
function usualOrder(key: SortKey): "asc" | "desc" {
  return key === "name" ? "asc" : "desc";
}

/** The same view with other parameters; `undefined` takes one away. */
export function listPath(query: URLSearchParams, changes: Record<string, string | undefined> = {}): string {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) next.delete(name);
    else next.set(name, value);
  }
  return next.size === 0 ? threatsPath : `${threatsPath}?${next}`;
}

/** Where the head of a column leads: its usual order first, then the other one. */
export function sortPath(query: URLSearchParams, order: SearchOrder, key: SortKey): string {
  const usual = usualOrder(key);
  const isUsual = order.key === key && order.descending === (usual === "desc");
  return listPath(query, {
    sort: key === defaultSort ? undefined : key,
    order: isUsual ? (usual === "desc" ? "asc" : "desc") : undefined,
  });
}

function oneOf<T extends string>(query: URLSearchParams, name: string, values: readonly T[]): T | undefined {
  const given = query.get(name);
  if (given === null) return undefined;
  const found = values.find((value) => value === given);
  if (found === undefined) throw wrong(name, `one of ${values.join(", ")}`);
  return found;
}

function domainOf(query: URLSearchParams): string | undefined {
  const given = query.get("domain");
  if (given === null) return undefined;
  const result = normalizeName(given);
  if ("error" in result) throw wrong("domain", "a domain name");
  return result.name;
}

function dayOf(query: URLSearchParams, name: string): Instant | undefined {
  const given = query.get(name);
  if (given === null) return undefined;
  const at = dayIn(given);
  if (at === undefined) throw wrong(name, "a day such as 2026-01-31");
  return at;
}

function endOf(day: Instant | undefined): Instant | undefined {
  return day === undefined ? undefined : day + dayMs;
}

function similarityOf(query: URLSearchParams): number | undefined {
  const given = query.get("similarity");
  if (given === null) return undefined;
  const value = /^[01](\.\d{1,4})?$/.test(given) ? Number(given) : NaN;
  if (!(value <= 1)) throw wrong("similarity", "a number from 0 to 1");
  return value;
}

function wrong(name: string, allowed: string): PublicError {
  return badRequest(`"${name}" in the address has to be ${allowed}`);
}
