import type { RegistryClients, Contact, LookupFailure } from "../registries/registry-clients.ts";
import { parseServer } from "../registries/whois-client.ts";
import keys from "./data/whois-keys.json" with { type: "json" };
import {
  notRegistered,
  rawLengthMax,
  type Registered,
  type RegistrationResult,
  withoutEmpty,
  withReferral,
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

type RegisteredReading = Extract<WhoisReading, { kind: "registered" }>;

/**
 * Returns a function that queries the registry of a registrable domain in A-label form, then the registrar that it refers to.
 * @param ianaServer knows the server of every top-level domain; used for those that `serverFor` does not know.
 */
export function createWhoisLookup({
  queryWhois,
  serverFor,
  ianaServer,
}: Pick<RegistryClients, "queryWhois"> & { serverFor: WhoisServerFor; ianaServer: string }) {
  const serverOfSuffix = new Map<string, string>();

  async function lookUpAt(
    server: string,
    domain: string,
  ): Promise<(Registered & Pick<RegisteredReading, "referral">) | LookupFailure> {
    const result = await queryWhois(
      server,
      whoisQuery(server, domain),
      (text): Contact<Exclude<WhoisReading, { kind: "limited" }> & { raw: string }> => {
        const reading = readWhois(text, domain);
        return reading.kind === "limited"
          ? { kind: "overloaded", reason: "rate limit exceeded", retryAfterMs: reading.retryAfterMs }
          : { kind: "response", response: { ...reading, raw: text.slice(0, rawLengthMax) }, isFinal: true };
      },
    );
    if (!result.ok) return result;
    const { response } = result;
    if (response.kind === "unclear") return { ok: false, reason: `${server}: ${response.reason}` };
    if (response.kind === "unregistered") return notRegistered;
    const { registration, referral, raw } = response;
    return { ok: true, registration, referral, raw };
  }

  async function findServer(domain: string): Promise<{ ok: true; server: string } | LookupFailure> {
    const suffix = domain.slice(domain.lastIndexOf(".") + 1);
    const known = serverFor(domain) ?? serverOfSuffix.get(suffix);
    if (known !== undefined) return { ok: true, server: known };
    const result = await queryWhois(ianaServer, `${suffix}\r\n`, (text): Contact<string> => ({
      kind: "response",
      response: text,
      isFinal: false,
    }));
    if (!result.ok) return result;
    const server = readReferral(result.response);
    if (server === undefined) return { ok: false, reason: `no WHOIS server is known for .${suffix}` };
    if (serverOfSuffix.size >= suffixesMax) serverOfSuffix.clear();
    serverOfSuffix.set(suffix, server);
    return { ok: true, server };
  }

  return async (domain: string): Promise<RegistrationResult> => {
    const found = await findServer(domain);
    if (!found.ok) return found;
    const first = await lookUpAt(found.server, domain);
    if (!first.ok) return first;
    const { referral, ...registered } = first;
    if (referral === undefined || referral === found.server) return registered;
    // Follows one referral. Without a response from the registrar, the rest stays unknown.
    return withReferral(registered, async () => {
      const further = await lookUpAt(referral, domain);
      return further.ok ? further : undefined;
    });
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
/** Sections whose status and dates do not belong to the domain. */
const otherSection = /^(registrar\b|registrant\b|abuse contact|keys)/;

/**
 * Reads a WHOIS response about `domain` (A-label form). A response that reports a rate limit never counts as
 * "unregistered", even if it contains more. One that has no known form is unclear.
 */
export function readWhois(text: string, domain: string): WhoisReading {
  const fields = whoisFields(text);
  const named = fields.filter(
    ({ key, section }) => keys.domain.includes(key) && !contactSection.test(section),
  );
  const aboutDomain = named.some(({ value }) => hostNameValue(value.split(/\s/)[0]) === domain);
  const registration = registrationOf(fields);
  const free = fields.some(({ key, value }) => keys.status.includes(key) && unregisteredStatus.test(value));
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
  const first = <T>(
    wanted: readonly string[],
    read: (value: string) => T | undefined,
    from = own,
  ): T | undefined => {
    for (const { key, value } of from) {
      const found = wanted.includes(key) ? read(value) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const inSection = (section: RegExp) => fields.filter((field) => section.test(field.section));
  const all = (wanted: readonly string[]) =>
    domainOwn.filter(({ key }) => wanted.includes(key)).map(({ value }) => value);
  const registrarName = (value: string) => textValue(value.replace(/\s*\[Tag = [^\]]*\]\s*$/i, ""));
  return withoutEmpty({
    source: "whois",
    registrar:
      first(keys.registrar, registrarName) ??
      first(keys.registrarInSection, registrarName, inSection(/^registrar$/)),
    registrar_iana_id: first(keys.registrarId, registrarIdValue),
    registrant_organization:
      first(keys.organization, textValue, domainOwn) ??
      first(keys.organizationInSection, textValue, inSection(/^registrant/)),
    registrant_country:
      first(keys.country, countryValue) ??
      first(keys.countryInSection, countryValue, inSection(/^(registrant|domain$)/)),
    created_at: first(keys.created, timeValue, domainOwn),
    updated_at: first(keys.updated, timeValue, domainOwn),
    expires_at: first(keys.expires, timeValue, domainOwn),
    name_servers: nameServerValues(all(keys.nameServer).map((value) => value.split(/[\s,([]/)[0])),
    status: statusValues(all(keys.status).flatMap((value) => value.split(","))),
    dnssec: first(keys.dnssec, signedValue),
    abuse_email:
      first(keys.abuseEmail, emailValue) ??
      first(keys.abuseEmailInSection, emailValue, inSection(/^abuse contact/)),
    abuse_phone:
      first(keys.abusePhone, phoneValue) ??
      first(keys.abusePhoneInSection, phoneValue, inSection(/^abuse contact/)),
  } as Registration);
}

function signedValue(value: string): boolean | undefined {
  if (/^(unsigned|no|inactive|not signed|unsigned delegation)\b/i.test(value)) return false;
  return /^(signed|yes|active|signeddelegation|\d{1,5} \d{1,3} \d{1,3} )/i.test(value) ? true : undefined;
}

/** Returns the registrar's WHOIS server. Only a host name is accepted, because the registrar chooses it. */
function referralOf(fields: readonly WhoisField[]): string | undefined {
  for (const { key, value } of fields) {
    if (keys.referral.includes(key) && parseServer(value) !== undefined) return value.trim().toLowerCase();
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
