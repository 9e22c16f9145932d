import { normalizeName } from "../detection/names/name.ts";
import { badRequest } from "../lib/errors.ts";
import { visible } from "../lib/safe-text.ts";
import { severities, statuses, type Severity, type Status } from "../vocabulary/threats.ts";

/** Echoes of input in messages are at most this long. */
export const echoedMax = 100;

/** The query of GET /v1/threats, checked. */
export interface ListQuery {
  /** A-label form. */
  domain: string | undefined;
  status: Status | undefined;
  severity: Severity | undefined;
  page: number;
  perPage: number;
}

const listParameters = ["domain", "status", "severity", "page", "per_page"] as const;
const perPageDefault = 20;

/**
 * @param url the request's whole address.
 * @throws PublicError `bad_request` that names the parameter and what is allowed.
 */
export function readListQuery(url: string, perPageMax: number): ListQuery {
  const values = readQuery(url, listParameters);
  const domain = values.get("domain");
  return {
    domain: domain === undefined ? undefined : readDomain(domain),
    status: readChoice("status", values.get("status"), statuses),
    severity: readChoice("severity", values.get("severity"), severities),
    page: readInteger("page", values.get("page") ?? "1", Number.MAX_SAFE_INTEGER),
    perPage: readInteger(
      "per_page",
      values.get("per_page") ?? `${Math.min(perPageDefault, perPageMax)}`,
      perPageMax,
    ),
  };
}

/** For operations without parameters: one that is misspelt or misplaced shall not pass for nothing. */
export function refuseQuery(url: string): void {
  if (url.includes("?")) readQuery(url, []);
}

const noValues: ReadonlyMap<never, string> = new Map<never, string>();

/**
 * The parameters of a query, each at most once, none empty, none unknown. Done here because the usual
 * parsers drop what they do not understand and keep the first or last of several.
 */
export function readQuery<Name extends string>(
  url: string,
  known: readonly Name[],
): ReadonlyMap<Name, string> {
  const start = url.indexOf("?");
  if (start === -1) return noValues;
  const values = new Map<Name, string>();
  for (const pair of withoutFragment(url.slice(start + 1)).split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals === -1 ? pair : pair.slice(0, equals), "A parameter's name");
    if (!isKnown(name, known)) throw unknownParameter(name, known);
    if (values.has(name)) throw badRequest(`${name} is given more than once; give it once.`);
    const value = decode(equals === -1 ? "" : pair.slice(equals + 1), name);
    if (value === "") throw badRequest(`${name} is empty; give it a value or leave it out.`);
    values.set(name, value);
  }
  return values;
}

function isKnown<Name extends string>(name: string, known: readonly Name[]): name is Name {
  return (known as readonly string[]).includes(name);
}

function unknownParameter(name: string, known: readonly string[]): Error {
  const allowed = known.length === 0 ? "there are none here" : `there are: ${known.join(", ")}`;
  return badRequest(`There is no parameter "${visible(name, echoedMax)}"; ${allowed}.`);
}

function withoutFragment(query: string): string {
  const hash = query.indexOf("#");
  return hash === -1 ? query : query.slice(0, hash);
}

function decode(text: string, name: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw badRequest(`${name} is not percent-encoded UTF-8: write a percent sign as %25.`);
  }
}

function readDomain(text: string): string {
  const result = normalizeName(text);
  if ("name" in result) return result.name;
  throw badRequest(`domain is not a domain name: ${result.error}.`);
}

function readChoice<T extends string>(
  name: string,
  text: string | undefined,
  allowed: readonly T[],
): T | undefined {
  if (text === undefined || (allowed as readonly string[]).includes(text)) return text as T | undefined;
  throw badRequest(`${name} is "${visible(text, echoedMax)}"; allowed: ${allowed.join(", ")}.`);
}

/** Whole decimal digits only: no sign, space, exponent, other base or other script's digits. */
function readInteger(name: string, text: string, maximum: number): number {
  const value = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 1 && value <= maximum) return value;
  throw badRequest(`${name} is "${visible(text, echoedMax)}"; allowed: a whole number from 1 to ${maximum}.`);
}
