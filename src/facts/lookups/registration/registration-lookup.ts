import { registeredDomain } from "../../../engines/detection/names/suffix.ts";
import { toIsoTime } from "../../../platform/lib/clock.ts";
import { createSharedCache } from "../../../platform/lib/shared-cache.ts";
import { parseHostName } from "../../../platform/lib/host-names.ts";
import type { Registration } from "../../../platform/vocabulary/site.ts";
import {
  createRegistryClients,
  rdapElseWhois,
  type RegistryAccess,
  type RegistryClients,
} from "../registries/registry-clients.ts";
import { type RdapServices, createRdapDirectory, ianaBootstrapUrl } from "./rdap-services.ts";
import {
  type Registered,
  type RegistrationResult,
  notRegistered,
  rawLengthMax,
  withoutEmpty,
  withReferral,
} from "./registration-values.ts";
import { createWhoisLookup } from "./whois-lookup.ts";
import { embeddedWhoisServers, type WhoisServerFor } from "./whois-servers.ts";
import {
  cardOf,
  entitiesOf,
  isObject,
  linkTo,
  list,
  readRdapObject,
  type Entity,
  type Json,
  type UnreadableRdap,
} from "../registries/rdap-entities.ts";
import {
  hostNameValue,
  nameServersMax,
  nameServerValues,
  registrarIdValue,
  statusesMax,
  statusValues,
  timeValue,
} from "../registries/registry-values.ts";

/** Looks up registration data in RDAP and WHOIS. */
export type RegistrationLookup = ReturnType<typeof createRegistrationLookup>;

const cacheEntriesMax = 5_000;
const registeredCachedMs = 6 * 3_600_000;
const unregisteredCachedMs = 3_600_000;
const ianaWhoisServer = "whois.iana.org";

/**
 * Queries RDAP if the suffix has a service, and WHOIS if it has none or that service fails.
 *
 * @param rdapServices replaces IANA's list.
 * @param bootstrapUrl URL of IANA's list of RDAP services.
 */
export function createRegistrationLookup({
  rdapServices,
  bootstrapUrl = ianaBootstrapUrl,
  whoisServerFor = embeddedWhoisServers(),
  ianaServer = ianaWhoisServer,
  ...access
}: RegistryAccess & {
  rdapServices?: RdapServices;
  bootstrapUrl?: string;
  whoisServerFor?: WhoisServerFor;
  ianaServer?: string;
}) {
  const { clock, userAgent } = access;
  const clients = createRegistryClients(access);
  const directory = createRdapDirectory({ ...clients, clock, url: bootstrapUrl, userAgent });
  const lookUpWhois = createWhoisLookup({ ...clients, serverFor: whoisServerFor, ianaServer });
  const cached = createSharedCache<RegistrationResult>({
    clock,
    entriesMax: cacheEntriesMax,
    keepMs: (result) =>
      result.ok ? registeredCachedMs : result.unregistered === true ? unregisteredCachedMs : 0,
  });

  async function lookUpDomain(domain: string): Promise<RegistrationResult> {
    const service = await (rdapServices ?? directory).serviceFor(domain);
    const whois = () => lookUpWhois(domain);
    const result =
      service === undefined
        ? await whois()
        : await rdapElseWhois(() => lookUpRdap(clients, domain, service), whois);
    if (!result.ok) return result;
    const registration = { ...result.registration, fetched_at: toIsoTime(clock.now()) };
    return { ...result, registration };
  }

  return {
    /** Looks up the registration of the registrable domain of `name`. Never throws for what servers do. */
    async lookUpRegistration(name: string): Promise<RegistrationResult> {
      const hostName = parseHostName(name);
      // Ignores the private section of the public suffix list: `github.io` is itself a registered domain.
      const domain = hostName === null ? null : registeredDomain(hostName);
      if (domain === null) return { ok: false, reason: "the name cannot be registered" };
      return cached(domain, () => lookUpDomain(domain));
    },
    close: () => clients.client.close(),
  };
}

/**
 * Queries the RDAP service at `baseUrl` (RFC 9082, 9083) for a registrable domain in A-label form. Never throws for what
 * others do.
 */
async function lookUpRdap(
  { get }: Pick<RegistryClients, "get">,
  domain: string,
  baseUrl: string,
): Promise<RegistrationResult> {
  const page = await get(new URL(`domain/${domain}`, baseUrl).href);
  if (!page.ok) return page;
  const { status, text } = page;
  const reading = readRdap(text, domain);
  if (status === 404) {
    // RFC 7480 §5.3: the server does not know the name. An error page of a gateway proves nothing.
    const negative = text.trim() === "" || (reading.kind === "unreadable" && reading.errorCode === 404);
    const isRdap = page.contentType.toLowerCase().startsWith("application/rdap+json");
    if (negative || (isRdap && reading.kind !== "registered")) return notRegistered;
  }
  const server = new URL(baseUrl).host;
  if (status !== 200) return { ok: false, reason: `${server}: HTTP status ${status}` };
  if (reading.kind === "unreadable") return { ok: false, reason: `${server}: ${reading.reason}` };
  const { registration, related } = reading;
  const found: Registered = { ok: true, registration, raw: text.slice(0, rawLengthMax) };
  if (related === undefined) return found;
  return withReferral(found, async () => {
    const further = await get(related);
    if (!further.ok || further.status !== 200) return undefined;
    const read = readRdap(further.text, domain);
    return read.kind === "registered" ? { ...read, raw: further.text } : undefined;
  });
}

type RdapReading =
  /** `related`: the registrar's record (RFC 9083 §4.2), for registries that hold only part of the data. */
  { kind: "registered"; registration: Registration; related: string | undefined } | UnreadableRdap;

const eventsMax = 64;

/**
 * Reads the registration data of an RDAP domain object (RFC 9083 §5.3). A member that is missing or has another type than
 * the RFC defines counts as unknown.
 * @param domain the name that was queried, in A-label form; a response about another name is unreadable.
 */
export function readRdap(body: string, domain: string): RdapReading {
  const read = readRdapObject(body);
  if (!("json" in read)) return read;
  const { json } = read;
  const name = hostNameValue(json["ldhName"]) ?? hostNameValue(json["unicodeName"]);
  if (name === undefined || json["objectClassName"] === "entity")
    return { kind: "unreadable", reason: "not a domain object" };
  if (name !== domain) return { kind: "unreadable", reason: "response is about another name" };
  return {
    kind: "registered",
    registration: registrationOf(json),
    related: linkTo(json, "related", "application/rdap+json"),
  };
}

function registrationOf(json: Json): Registration {
  const entities = entitiesOf(json);
  const registrar = entities.find(({ roles }) => roles.includes("registrar"));
  const registrant = entities.find(({ roles }) => roles.includes("registrant"));
  // The abuse contact of the registrar or of the domain. One that the registrant lists does not count.
  const abuse = entities.find(
    ({ roles, within }) => roles.includes("abuse") && !within.includes("registrant"),
  );
  const registrarCard = cardOf(registrar);
  const registrantCard = cardOf(registrant);
  const abuseCard = cardOf(abuse);
  const events = eventsOf(json);
  const secureDns = json["secureDNS"];
  const signed = isObject(secureDns) ? secureDns["delegationSigned"] : undefined;
  return withoutEmpty({
    source: "rdap",
    registrar: registrarCard.fullName ?? registrarCard.organization,
    registrar_iana_id: registrarIdOf(registrar),
    registrant_organization: registrantCard.organization,
    registrant_country: registrantCard.country,
    created_at: events.get("registration"),
    updated_at: events.get("last changed"),
    expires_at: events.get("expiration") ?? events.get("registrar expiration"),
    name_servers: nameServerValues(
      list(json["nameservers"], nameServersMax).map((server) =>
        isObject(server) ? server["ldhName"] : undefined,
      ),
    ),
    status: statusValues(list(json["status"], statusesMax)),
    dnssec: typeof signed === "boolean" ? signed : undefined,
    abuse_email: abuseCard.email,
    abuse_phone: abuseCard.phone,
  } as Registration);
}

function registrarIdOf(registrar: Entity | undefined): string | undefined {
  for (const id of list(registrar?.json["publicIds"], 8)) {
    if (!isObject(id) || typeof id["type"] !== "string") continue;
    if (/iana registrar id/i.test(id["type"])) return registrarIdValue(id["identifier"]);
  }
  return undefined;
}

/** Returns event times by action. The first event of an action counts. */
function eventsOf(json: Json): Map<string, string> {
  const events = new Map<string, string>();
  for (const event of list(json["events"], eventsMax)) {
    if (!isObject(event) || typeof event["eventAction"] !== "string") continue;
    const action = event["eventAction"].slice(0, 64).toLowerCase();
    const time = timeValue(event["eventDate"]);
    if (time !== undefined && !events.has(action)) events.set(action, time);
  }
  return events;
}
