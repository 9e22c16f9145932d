import { registeredDomain } from "../../../engines/detection/names/suffix.ts";
import { BoundedMap } from "../../../platform/lib/bounded-map.ts";
import { toIsoTime, type Clock } from "../../../platform/lib/clock.ts";
import { parseHostName } from "../../../platform/lib/host-names.ts";
import type { Registration } from "../../../platform/vocabulary/site.ts";
import { createRegistryClients, type RegistryAccess } from "../registries/registry-clients.ts";
import { type RdapServices, createRdapDirectory, ianaBootstrapUrl } from "./rdap-services.ts";
import { type RegistrationOutcome, completedBy, joinResponses, rawLengthMax } from "./registration-values.ts";
import { createWhoisLookup } from "./whois-lookup.ts";
import { embeddedWhoisServers, type WhoisServerFor } from "./whois-servers.ts";
import type { Turns } from "../../../platform/network/turns.ts";
import type { GetRdap } from "../registries/rdap-requests.ts";
import { readRdap } from "./rdap-record.ts";

export type RegistrationResult =
  /** `raw` is the start of the raw response. Escape it before you show any of it. */
  | { ok: true; registration: Registration; raw: string }
  /**
   * `unregistered` is set only if the registry says so; otherwise nothing is known. `postponed`: no server was queried,
   * because too many queries wait for it or it demanded a pause.
   */
  | { ok: false; reason: string; retryAfterMs?: number; unregistered?: boolean; postponed?: boolean };

/** Looks up registration data in RDAP and WHOIS. */
export interface RegistrationLookup {
  /** Looks up the registration of the registrable domain of `name`. Never throws for what servers do. */
  lookUpRegistration(name: string): Promise<RegistrationResult>;
  close(): void;
}

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
}): RegistrationLookup {
  const { clock, userAgent } = access;
  const { client, get, pacing, query, timeoutMs, turns } = createRegistryClients(access);
  const directory = createRdapDirectory({ client, clock, url: bootstrapUrl, userAgent, timeoutMs });
  const rdap = createRdapClient({ get, turns });
  const whois = createWhoisLookup({ query, serverFor: whoisServerFor, pacing, turns, ianaServer });
  const cached = createResponseCache<RegistrationResult>({
    clock,
    entriesMax: cacheEntriesMax,
    keepMs: (result) =>
      result.ok ? registeredCachedMs : result.unregistered === true ? unregisteredCachedMs : 0,
  });

  async function lookUpDomain(domain: string): Promise<RegistrationResult> {
    const service = await (rdapServices ?? directory).serviceFor(domain);
    if (service === undefined) return resultOf(await whois.lookUp(domain));
    const first = await rdap.lookUp(domain, service);
    if (first.kind !== "failed") return resultOf(first);
    const second = await whois.lookUp(domain);
    if (second.kind === "failed") return { ok: false, reason: `${first.reason}; ${second.reason}` };
    return resultOf(second);
  }

  function resultOf(outcome: RegistrationOutcome): RegistrationResult {
    switch (outcome.kind) {
      case "registered": {
        const registration = { ...outcome.registration, fetched_at: toIsoTime(clock.now()) };
        return { ok: true, registration, raw: outcome.raw };
      }
      case "unregistered":
        return { ok: false, reason: "not registered", unregistered: true };
      case "limited": {
        const { reason, retryAfterMs, postponed = false } = outcome;
        return { ok: false, reason, retryAfterMs, ...(postponed && { postponed }) };
      }
      case "failed":
        return { ok: false, reason: outcome.reason };
    }
  }

  return {
    async lookUpRegistration(name) {
      const hostName = parseHostName(name);
      // Ignores the private section of the public suffix list: `github.io` is itself a registered domain.
      const domain = hostName === null ? null : registeredDomain(hostName);
      if (domain === null) return { ok: false, reason: "the name cannot be registered" };
      return cached(domain, () => lookUpDomain(domain));
    },
    close: () => client.close(),
  };
}

/** Queries RDAP services for domains (RFC 9082, 9083). */
function createRdapClient({ get, turns }: { get: GetRdap; turns: Turns }) {
  /** Completes the record of a registry that refers to the registrar's service. A failure there does no harm. */
  async function complete(
    found: Extract<RegistrationOutcome, { kind: "registered" }>,
    domain: string,
    related: string | undefined,
  ): Promise<RegistrationOutcome> {
    const { registration } = found;
    const isComplete =
      registration.registrant_organization !== undefined && registration.abuse_email !== undefined;
    if (related === undefined || isComplete) return found;
    const page = await get(related);
    if ("kind" in page || page.status !== 200) return found;
    await turns.next();
    const reading = readRdap(page.text, domain);
    if (reading.kind !== "registered") return found;
    return {
      ...found,
      registration: completedBy(registration, reading.registration),
      raw: joinResponses(found.raw, page.text),
    };
  }

  return {
    /** Queries the service at `baseUrl` for a registrable domain in A-label form. Never throws for what others do. */
    async lookUp(domain: string, baseUrl: string): Promise<RegistrationOutcome> {
      const page = await get(new URL(`domain/${domain}`, baseUrl).href);
      if ("kind" in page) return page;
      const { status, text } = page;
      const raw = text.slice(0, rawLengthMax);
      await turns.next();
      const reading = readRdap(text, domain);
      if (status === 404) {
        // RFC 7480 §5.3: the server does not know the name. An error page of a gateway proves nothing.
        const negative = text.trim() === "" || (reading.kind === "error" && reading.errorCode === 404);
        const isRdap = page.contentType.toLowerCase().startsWith("application/rdap+json");
        if (negative || (isRdap && reading.kind !== "registered")) return { kind: "unregistered", raw };
      }
      const server = new URL(baseUrl).host;
      if (status !== 200) return { kind: "failed", reason: `${server}: HTTP status ${status}` };
      if (reading.kind === "error") {
        const { errorCode = "", title = "" } = reading;
        return { kind: "failed", reason: `${server}: RDAP error ${errorCode} ${title}`.trim() };
      }
      if (reading.kind === "unreadable") return { kind: "failed", reason: `${server}: ${reading.reason}` };
      const { registration, related } = reading;
      return complete({ kind: "registered", registration, raw }, domain, related);
    },
  };
}

/**
 * Caches responses by key, for a limited time and up to a limited number. Concurrent requests for the same key share
 * one response.
 *
 * @param keepMs returns how long a response is valid; 0 for one that is not cached.
 */
function createResponseCache<T>({
  clock,
  entriesMax,
  keepMs,
}: {
  clock: Clock;
  entriesMax: number;
  keepMs: (response: T) => number;
}): (key: string, request: () => Promise<T>) => Promise<T> {
  const cached = new BoundedMap<string, { response: T; untilMs: number }>(entriesMax);
  const inProgress = new Map<string, Promise<T>>();

  return (key, request) => {
    const known = cached.get(key);
    if (known !== undefined && known.untilMs > clock.monotonicMs()) return Promise.resolve(known.response);
    cached.delete(key);
    const running = inProgress.get(key);
    if (running !== undefined) return running;
    const requested = request()
      .then((response) => {
        const validMs = keepMs(response);
        if (validMs > 0) cached.set(key, { response, untilMs: clock.monotonicMs() + validMs });
        return response;
      })
      .finally(() => inProgress.delete(key));
    inProgress.set(key, requested);
    return requested;
  };
}
