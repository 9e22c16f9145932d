import { wordsForPeople } from "../../../access/accounts/account-names.ts";
import { normalizeHostName } from "../../../engines/detection/names/name.ts";
import { dayMs, toIsoTime, type Instant } from "../../../platform/lib/clock.ts";
import { badRequest } from "../../../platform/lib/errors.ts";
import { type HostField, hostFields } from "../../../threats/index/columns/hosts.ts";
import { parseNameQuery } from "../../../threats/index/columns/name-query.ts";
import {
  sortKeys,
  type SearchFilter,
  type SearchOrder,
  type SortKey,
} from "../../../threats/index/threat-index.ts";
import { indicators, type Indicator } from "../../../threats/threats/severity/indicators.ts";
import { threatTypes, severities, threatSources, statuses } from "../../../platform/vocabulary/threats.ts";
import { siteStates, type SiteState } from "../../../platform/vocabulary/site.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { parseDay, parseWholeNumber } from "../kit/fields.ts";
import { pathWith, threatsPath } from "../kit/paths.ts";
import { groupings, preferencesOf, type Grouping } from "../shell/reader.ts";
import type { Context } from "../shell/router.ts";
import { hostLabels, indicatorLabels, inWords } from "../kit/inline.tsx";

/** View of the list as described by its URL, which can be bookmarked and shared. */
export interface ListRequest {
  filter: SearchFilter;
  order: SearchOrder;
  look: Look;
  /** Undefined: as the account prefers (`isGrouped`). */
  grouping: Grouping | undefined;
  /** Parameters of the view in canonical order, without those for pagination and messages. */
  query: URLSearchParams;
}

const defaultSort: SortKey = "severity";

/** Canonical order of the parameters in a URL. */
const parameterNames =
  "q status severity domain assignee overdue site_state campaign type source sign verified from to similarity registrar nameservers network import scan sort order look group".split(
    " ",
  );

/** How the threats of a view are shown: as rows, or as a grid of screenshots. */
const looks = ["list", "gallery"] as const;
export type Look = (typeof looks)[number];

/** The visitor and the time that a view refers to: "assigned to me", "overdue". */
export type ListReader = Pick<Context, "account" | "now">;

/**
 * Parses the view that a URL describes. Defaults: active threats, most severe first.
 * @throws PublicError `bad_request` for an invalid value.
 */
export function readListRequest(given: URLSearchParams, reader: ListReader): ListRequest {
  const query = new URLSearchParams();
  for (const name of parameterNames) {
    const value = given.get(name);
    if (value !== null && value !== "") query.set(name, value);
  }
  const filter: SearchFilter = {
    text: parseNameQuery(query.get("q") ?? ""),
    status: query.get("status") === "all" ? undefined : (oneOf(query, "status", statuses) ?? "active"),
    severity: oneOf(query, "severity", severities),
    type: oneOf(query, "type", threatTypes),
    source: oneOf(query, "source", threatSources),
    indicator: oneOf(query, "sign", indicators),
    verified: parsed(query, "verified", (text) => yesOrNo.get(text), "one of yes, no"),
    protectedDomain: parsed(query, "domain", parseDomain, "a domain name"),
    from: momentOf(query, "from"),
    before: momentOf(query, "to"),
    minSimilarity: parsed(query, "similarity", parseSimilarity, "a number from 0 to 1"),
    registrar: query.get("registrar") ?? undefined,
    nameServers: query.get("nameservers") ?? undefined,
    network: query.get("network") ?? undefined,
    assignee: assigneeOf(query.get("assignee"), reader),
    overdueAt: oneOf(query, "overdue", ["yes"] as const) === undefined ? undefined : reader.now,
    siteStates: parsed(query, "site_state", parseSiteStates, `some of ${siteStates.join(",")}`),
    campaignSeq: parsed(query, "campaign", parseWholeNumber, "a number"),
    importSeq: parsed(query, "import", parseWholeNumber, "a number"),
    scanSeq: parsed(query, "scan", parseWholeNumber, "a number"),
  };
  const key = oneOf(query, "sort", sortKeys) ?? defaultSort;
  const order = oneOf(query, "order", ["asc", "desc"] as const) ?? defaultDirection(key);
  const look = oneOf(query, "look", looks) ?? "list";
  const grouping = oneOf(query, "group", groupings);
  return { filter, order: { key, descending: order === "desc" }, look, grouping, query };
}

/** Returns whether the threats of a campaign are one row of the list. */
export function isGrouped(
  { look, filter, grouping }: ListRequest,
  { account, request, services }: Context<"preferences">,
): boolean {
  if (look !== "list") return false;
  if (grouping !== undefined) return grouping === "campaign";
  // The threats of one campaign would be one row.
  if (filter.campaignSeq !== undefined) return false;
  return preferencesOf(request, services.preferences.of(account.seq)).grouping === "campaign";
}

/** Default direction: names and due times ascending, everything else descending. */
export function defaultDirection(key: SortKey): "asc" | "desc" {
  return key === "name" || key === "due" ? "asc" : "desc";
}

/** Returns the path of the same view with changed parameters; `undefined` removes one. */
export function listPath(query: URLSearchParams, changes: Record<string, string | undefined> = {}): string {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) next.delete(name);
    else next.set(name, value);
  }
  return pathWith(threatsPath, next);
}

/** Returns the path of all threats that an import or a scan created. */
export function createdPath(run: { importSeq: number } | { scanSeq: number }): string {
  const [name, seq] = "importSeq" in run ? ["import", run.importSeq] : ["scan", run.scanSeq];
  return listPath(new URLSearchParams({ status: "all", [name]: String(seq) }));
}

/** The parameters of hosts, by the field of the filter. */
export const hostParameters: Readonly<Record<HostField, string>> = {
  registrar: "registrar",
  nameServers: "nameservers",
  network: "network",
};

/** Returns a time, down to the minute, as a value of the parameters `from` and `to`. */
export function timeParameter(at: Instant): string {
  return `${toIsoTime(at).slice(0, 16)}Z`;
}

/** Returns the path that a column heading links to: its default direction first, then the opposite. */
export function sortPath(query: URLSearchParams, order: SearchOrder, key: SortKey): string {
  const byDefault = defaultDirection(key);
  const isDefault = order.key === key && order.descending === (byDefault === "desc");
  return listPath(query, {
    sort: key === defaultSort ? undefined : key,
    order: isDefault ? (byDefault === "desc" ? "asc" : "desc") : undefined,
  });
}

/**
 * Parses a parameter; undefined if the query has none.
 * @param parse returns undefined for an invalid value
 * @param allowed what the value must be, for the error
 */
function parsed<T>(
  query: URLSearchParams,
  name: string,
  parse: (given: string) => T | undefined,
  allowed: string,
): T | undefined {
  const given = query.get(name);
  if (given === null) return undefined;
  const value = parse(given);
  if (value === undefined) throw badRequest(`"${name}" in the URL must be ${allowed}`);
  return value;
}

function oneOf<T extends string>(query: URLSearchParams, name: string, values: readonly T[]): T | undefined {
  return parsed(
    query,
    name,
    (given) => values.find((value) => value === given),
    `one of ${values.join(", ")}`,
  );
}

function parseDomain(given: string): string | undefined {
  const result = normalizeHostName(given);
  return "error" in result ? undefined : result.name;
}

const yesOrNo = new Map([
  ["yes", true],
  ["no", false],
]);

/** Returns the name of an account; null: unassigned. */
function assigneeOf(given: string | null, { account }: ListReader): string | null | undefined {
  if (given === null) return undefined;
  if (given === wordsForPeople.nobody) return null;
  return given === wordsForPeople.own ? account.name : given;
}

/** Parses several states, separated by commas. */
function parseSiteStates(given: string): SiteState[] | undefined {
  const states = given.split(",").map((one) => siteStates.find((state) => state === one));
  return states.includes(undefined) ? undefined : states.filter((state) => state !== undefined);
}

/** Returns a time to the minute, such as 2026-01-31T08:30Z; for a day, its start or its end. */
function momentOf(query: URLSearchParams, name: "from" | "to"): Instant | undefined {
  const allowed = "a date such as 2026-01-31, or a time such as 2026-01-31T08:30Z";
  return parsed(query, name, (given) => parseMinute(given) ?? dayIn(given, name), allowed);
}

function parseMinute(given: string): Instant | undefined {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/.test(given) ? Date.parse(given) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

function dayIn(given: string, name: "from" | "to"): Instant | undefined {
  const day = parseDay(given);
  return day === undefined || name === "from" ? day : day + dayMs;
}

function parseSimilarity(given: string): number | undefined {
  const value = /^[01](\.\d{1,4})?$/.test(given) ? Number(given) : NaN;
  return value <= 1 ? value : undefined;
}

/** A filter of the view, as a chip shows it. */
interface ActiveFilter {
  /** Name of its parameter. */
  name: string;
  label: string;
  value: string;
  /** Changes of the view's parameters that remove it. */
  without: Record<string, string | undefined>;
}

const valueCharactersMax = 60;

/** Parameters with a chip, in the order of the chips, with the label and the value in words. */
const chips: readonly (readonly [name: string, label: string, value: (given: string) => string])[] = [
  ["severity", "Severity is", inWords],
  ["domain", "Domain is", (domain) => domain],
  ["assignee", "Assigned to", assigneeInWords],
  ["overdue", "Due time:", () => "overdue"],
  ["site_state", "Site is", (states) => states.replaceAll(",", " or ")],
  ["campaign", "Campaign is", (number) => number],
  ["type", "Type is", inWords],
  ["sign", "Evidence:", (given) => indicatorLabels[given as Indicator]],
  ["verified", "Verified:", (given) => given],
  ["source", "Source is", inWords],
  ["from", "First seen from", utcTime],
  ["to", "First seen to", utcTime],
  ["similarity", "Similarity at least", (value) => value],
  ...hostFields.map(
    (field) => [hostParameters[field], `${hostLabels[field]} is`, (host: string) => host] as const,
  ),
  ["import", "New from", () => "one import"],
  ["scan", "New from", () => "one scan"],
];

/** Returns the value of the parameter `assignee` in words. */
function assigneeInWords(given: string): string {
  if (given === wordsForPeople.own) return "you";
  return given === wordsForPeople.nobody ? "nobody" : given;
}

/** Formats a day, or a time down to the minute: `2026-01-13 UTC`, `2026-01-13 06:20 UTC`. */
function utcTime(given: string): string {
  return `${given.replace("T", " ").replace("Z", "")} UTC`;
}

/** Returns the filters of a valid view, except the text of the search field. */
export function activeFilters(query: URLSearchParams, { status }: SearchFilter): ActiveFilter[] {
  const ofStatus: ActiveFilter[] =
    status === undefined
      ? []
      : [{ name: "status", label: "Status is", value: inWords(status), without: { status: "all" } }];
  const others = chips.flatMap(([name, label, valueOf]) => {
    const given = query.get(name);
    if (given === null) return [];
    return {
      name,
      label,
      value: visible(valueOf(given), valueCharactersMax),
      without: { [name]: undefined },
    };
  });
  return [...ofStatus, ...others];
}
