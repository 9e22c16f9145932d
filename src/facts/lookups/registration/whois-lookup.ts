import type { Turns } from "../../../platform/network/turns.ts";
import type { Contact, LookupFailure, ServerPacing } from "../registries/server-pacing.ts";
import { type QueryWhois, parseServer } from "../registries/whois-client.ts";
import {
  completedBy,
  joinResponses,
  rawLengthMax,
  type RegistrationOutcome,
  withoutEmpty,
} from "./registration-values.ts";
import { type WhoisServerFor, whoisQuery } from "./whois-servers.ts";
import type { Registration } from "../../../platform/vocabulary/site.ts";
import {
  countryValue,
  emailValue,
  hostNameValue,
  nameServerValues,
  phoneValue,
  registrarIdValue,
  statusValues,
  textValue,
  timeValue,
} from "../registries/registry-values.ts";
import { type WhoisField, whoisFields, whoisLines } from "../registries/whois-fields.ts";

const suffixesMax = 2_000;

type ReadResponse = Exclude<WhoisReading, { kind: "limited" }> & { raw: string };

interface WhoisLookupDependencies {
  query: QueryWhois;
  serverFor: WhoisServerFor;
  pacing: ServerPacing;
  turns: Turns;
  ianaServer: string;
}

/** @param ianaServer knows the server of every top-level domain; used for those that `serverFor` does not know. */
export function createWhoisLookup({ query, serverFor, pacing, turns, ianaServer }: WhoisLookupDependencies) {
  const serverOfSuffix = new Map<string, string>();

  async function lookUpAt(
    server: string,
    domain: string,
  ): Promise<Exclude<ReadResponse, { kind: "unclear" }> | LookupFailure> {
    const result = await pacing.query(server, async (): Promise<Contact<ReadResponse>> => {
      const response = await query(server, whoisQuery(server, domain));
      if ("failure" in response) return { kind: "failed", reason: response.failure };
      await turns.next();
      const reading = readWhois(response.text, domain);
      if (reading.kind === "limited")
        return { kind: "overloaded", reason: "rate limit exceeded", retryAfterMs: reading.retryAfterMs };
      const raw = response.text.slice(0, rawLengthMax);
      return { kind: "response", response: { ...reading, raw }, isFinal: true };
    });
    if (result.kind !== "response") return result;
    const { response } = result;
    if (response.kind !== "unclear") return response;
    return { kind: "failed", reason: `${server}: ${response.reason}` };
  }

  async function findServer(domain: string): Promise<{ server: string } | LookupFailure> {
    const known = serverFor(domain);
    if (known !== undefined) return { server: known };
    const suffix = domain.slice(domain.lastIndexOf(".") + 1);
    const cached = serverOfSuffix.get(suffix);
    if (cached !== undefined) return { server: cached };
    const result = await pacing.query(ianaServer, async (): Promise<Contact<string>> => {
      const response = await query(ianaServer, `${suffix}\r\n`);
      if ("failure" in response) return { kind: "failed", reason: response.failure };
      return { kind: "response", response: response.text, isFinal: false };
    });
    if (result.kind !== "response") return result;
    await turns.next();
    const server = readReferral(result.response);
    if (server === undefined) return { kind: "failed", reason: `no WHOIS server is known for .${suffix}` };
    if (serverOfSuffix.size >= suffixesMax) serverOfSuffix.clear();
    serverOfSuffix.set(suffix, server);
    return { server };
  }

  return {
    /** Queries the registry of a registrable domain in A-label form, then the registrar that it refers to. */
    async lookUp(domain: string): Promise<RegistrationOutcome> {
      const found = await findServer(domain);
      if (!("server" in found)) return found;
      const outcome = await lookUpAt(found.server, domain);
      if (outcome.kind !== "registered") return outcome;
      const { referral, registration, raw } = outcome;
      const isComplete =
        registration.registrant_organization !== undefined && registration.abuse_email !== undefined;
      if (referral === undefined || referral === found.server || isComplete)
        return { kind: "registered", registration, raw };
      // Follows one referral. Without a response from the registrar, the rest stays unknown.
      const further = await lookUpAt(referral, domain);
      if (further.kind !== "registered") return { kind: "registered", registration, raw };
      return {
        kind: "registered",
        registration: completedBy(registration, further.registration),
        raw: joinResponses(raw, further.raw),
      };
    },
  };
}

type WhoisReading =
  | { kind: "registered"; registration: Registration; referral: string | undefined }
  | { kind: "unregistered" }
  | { kind: "limited"; retryAfterMs: number | undefined }
  | { kind: "unclear"; reason: string };

/**
 * Messages of registries that limit queries: DENIC, Nominet, AFNIC, PIR, registro.br, NASK, SWITCH, EURid and others. Only
 * the past tense counts, because the terms of use below every response mention limits as well.
 */
const limitTexts = [
  /\b(limit|quota|rate|maximum|number of (queries|requests|connections))\b.{0,80}\bexceeded\b/i,
  /\b(exceeded|exceeds)\b.{0,80}\b(limit|quota|rate|maximum|number of|queries|requests)\b/i,
  /\btoo many (requests|queries|connections|lookups|simultaneous)/i,
  /\b(requests?|queries|query|access|connection|lookups?)\b.{0,40}\b(denied|refused|blocked|throttled)\b/i,
  /\brequests of this client are not permitted\b|\bgrace period, wait\b|\btry again (later|in|after)\b|\bslow down\b/i,
  /\byou (are|have been) (black-?listed|throttled|blocked|banned)\b|\bIP( address)? (is |has been )?(black-?listed|blocked|banned)\b/i,
  /\b(temporarily|currently) (unavailable|unable)\b|\bserver (is )?(too )?busy\b|\bservice (is )?unavailable\b/i,
];
const retryAfterText = /\b(?:in|wait|after)\s+(\d{1,5})\s*(seconds?|secs?|s|minutes?|mins?)\b/i;

/** Anchored at the start of a line (after comment characters), because legal notices contain such words as well. */
const unregisteredTexts =
  /^[ \t%#*>!-]{0,40}(no match(ing record|es)?\b|not found\b|no (data|object|entries|entry|records?|domain|information|such domain)s?\b.{0,30}\b(found|available|exist)|nothing found|no found\b|domain (name )?(not found|not registered|has not been registered|is available|does not exist|.{1,255} (not found|is available|was not found|not registered))|the (queried object|requested domain|domain|domain name)\b.{0,255}\b(not (been )?(found|registered)|does not exist|is available)|object (does not exist|not found)|we do not have an entry in our database|no information (was found|available) |error:101: no entries found|the registry database contains no|is available for (registration|purchase)|domain status:\s*(no object found|available|free|not registered)|not registered\b|available$)/im;
const unregisteredStatus = /^(free|available|not registered|no object found|not found)\b/i;
const namedUnregistered =
  /^[ \t]{0,40}"?([^\s"]{1,255})"?\s+(is free|is available|not found|no match|not registered|was not found)\b/im;

/** Sections about persons, where the same keys mean something else than for the domain. */
const contactSection =
  /^(nic-hdl|nic-hdl-br|contact|person|role|holder|keyset|nsset|(admin|tech|billing|technical|administrative|onsite)\b.*)/;
/** Sections whose status and dates are not those of the domain. */
const otherSection = /^(registrar\b|registrant\b|abuse contact|keys)/;

const keys = {
  domain: /^(domain name|domain|domainname|complete domain name)$/,
  registrar:
    /^(registrar|registrar name|sponsoring registrar|registrar organization|authorized agency|registrar handle)$/,
  registrarId: /^(registrar iana id|sponsoring registrar iana id)$/,
  organization:
    /^(registrant organi[sz]ation|registrant organi[sz]ation name|registrant company|owner|org|organization|trading as)$/,
  country: /^(registrant country|registrant country\/economy|registrant country code)$/,
  created:
    /^(creation date|created|created on|created date|registered on|registered|registration date|registration time|registered date|domain registered|domain name commencement date|first registration date|domain create date|record created|activated)$/,
  updated:
    /^(updated date|last updated|last update|last-update|last updated on|last updated date|last modified|modified|changed|updated|modification date|domain last updated date|record last updated on)$/,
  expires:
    /^(registry expiry date|registrar registration expiration date|expiry date|expiration date|expire date|expires|expires on|expire|expiration time|expires at|paid-till|renewal date|record expires on|domain expiration date|exp date|valid until|validity)$/,
  nameServer:
    /^(name server|name servers|nameserver|nameservers|nserver|domain nameservers|domain servers|domain servers in listed order|host name|hostname|dns|ns|primary server|secondary server)$/,
  status: /^(domain status|status|eppstatus|registration status|state|flags)$/,
  dnssec: /^(dnssec|dnssec delegated|dnssec signed|ds-rdata|dsrecord|dsl-id|signing key)$/,
  abuseEmail: /^(registrar abuse contact email|abuse contact email|abuse email|registrar abuse email)$/,
  abusePhone: /^(registrar abuse contact phone|abuse contact phone|abuse phone|registrar abuse phone)$/,
  referral: /^(registrar whois server|whois server|referralserver|registrar whois)$/,
};

/**
 * Reads a WHOIS response about `domain` (A-label form). A response that reports a rate limit never counts as
 * "unregistered", whatever else it contains. One that has no known form is unclear.
 */
export function readWhois(text: string, domain: string): WhoisReading {
  const fields = whoisFields(text);
  const named = fields.filter(({ key, section }) => keys.domain.test(key) && !contactSection.test(section));
  const aboutDomain = named.some(({ value }) => hostNameValue(value.split(/\s/)[0]) === domain);
  const registration = registrationOf(fields);
  const free = fields.some(({ key, value }) => keys.status.test(key) && unregisteredStatus.test(value));
  const substance =
    registration.created_at !== undefined ||
    registration.registrar !== undefined ||
    registration.name_servers !== undefined ||
    (registration.status !== undefined && registration.status.length > 0);
  // Tests for a record first: the legal notices around it mention limits and names that are not found.
  if (aboutDomain && substance && !free)
    return { kind: "registered", registration, referral: referralOf(fields) };
  if (limitTexts.some((pattern) => pattern.test(unwrapped(text))))
    return { kind: "limited", retryAfterMs: demandedPauseMs(text) };
  if (aboutDomain && free) return { kind: "unregistered" };
  if (named.length > 0 && !aboutDomain) return { kind: "unclear", reason: "response is about another name" };
  const about = namedUnregistered.exec(text)?.[1];
  if (about !== undefined && hostNameValue(about.replace(/^'|'$/g, "")) === domain)
    return { kind: "unregistered" };
  if (!aboutDomain && unregisteredTexts.test(text)) return { kind: "unregistered" };
  if (registration.created_at !== undefined && registration.registrar !== undefined)
    return { kind: "registered", registration, referral: referralOf(fields) };
  return { kind: "unclear", reason: text.trim() === "" ? "empty response" : "response has an unknown form" };
}

function registrationOf(fields: readonly WhoisField[]): Registration {
  const own = fields.filter(({ section }) => !contactSection.test(section));
  const domainOwn = own.filter(({ section }) => !otherSection.test(section));
  const first = <T>(key: RegExp, read: (value: string) => T | undefined, from = own): T | undefined => {
    for (const field of from) {
      if (!key.test(field.key)) continue;
      const value = read(field.value);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  const inSection = <T>(section: RegExp, key: RegExp, read: (value: string) => T | undefined) =>
    first(
      key,
      read,
      fields.filter((field) => section.test(field.section)),
    );
  const all = (key: RegExp, from: readonly WhoisField[]) =>
    from.filter((field) => key.test(field.key)).map(({ value }) => value);
  const registrarName = (value: string) => textValue(value.replace(/\s*\[Tag = [^\]]*\]\s*$/i, ""));
  return withoutEmpty({
    source: "whois",
    registrar:
      first(keys.registrar, registrarName, own) ??
      inSection(/^registrar$/, /^(name|organization|organization name)$/, registrarName),
    registrar_iana_id: first(keys.registrarId, registrarIdValue),
    registrant_organization:
      first(keys.organization, textValue, domainOwn) ??
      inSection(/^registrant/, /^(organi[sz]ation|organi[sz]ation name|company)$/, textValue),
    registrant_country:
      first(keys.country, countryValue) ??
      inSection(/^(registrant|domain$)/, /^(country|country code)$/, countryValue),
    created_at: first(keys.created, timeValue, domainOwn),
    updated_at: first(keys.updated, timeValue, domainOwn),
    expires_at: first(keys.expires, timeValue, domainOwn),
    name_servers: nameServerValues(all(keys.nameServer, domainOwn).map((value) => value.split(/[\s,([]/)[0])),
    status: statusValues(all(keys.status, domainOwn).flatMap((value) => value.split(","))),
    dnssec: first(keys.dnssec, signedValue),
    abuse_email:
      first(keys.abuseEmail, emailValue) ??
      inSection(/^abuse contact/, /^(abuse contact|e-?mail)$/, emailValue),
    abuse_phone:
      first(keys.abusePhone, phoneValue) ??
      inSection(/^abuse contact/, /^(abuse contact|phone)$/, phoneValue),
  } as Registration);
}

function signedValue(value: string): boolean | undefined {
  if (/^(unsigned|no|inactive|not signed|unsigned delegation)\b/i.test(value)) return false;
  return /^(signed|yes|active|signeddelegation|\d{1,5} \d{1,3} \d{1,3} )/i.test(value) ? true : undefined;
}

/** Returns the registrar's WHOIS server. Only a host name is accepted, because the registrar chooses it. */
function referralOf(fields: readonly WhoisField[]): string | undefined {
  for (const { key, value } of fields) {
    if (keys.referral.test(key) && parseServer(value) !== undefined) return value.trim().toLowerCase();
  }
  return undefined;
}

/** Joins wrapped lines, because sentences continue across line breaks. */
function unwrapped(text: string): string {
  return whoisLines(text)
    .map((line) => line.trim())
    .map((line) => (line === "" ? "\n" : `${line} `))
    .join("");
}

function demandedPauseMs(text: string): number | undefined {
  const [, amount, unit = ""] = retryAfterText.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * (/^m/i.test(unit) ? 60_000 : 1_000);
}

/** Returns the server that whois.iana.org names for a top-level domain. */
export function readReferral(text: string): string | undefined {
  const field = whoisFields(text).find(({ key }) => key === "whois" || key === "refer");
  return field !== undefined && parseServer(field.value) !== undefined
    ? field.value.trim().toLowerCase()
    : undefined;
}
