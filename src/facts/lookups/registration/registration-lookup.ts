import { registeredDomain } from "../../../engines/detection/names/suffix.ts";
import { toIsoTime } from "../../../platform/lib/clock.ts";
import { parseHostName } from "../../../platform/lib/host-names.ts";
import type { Registration } from "../../../platform/vocabulary/registration.ts";
import { createRegistryClients, type RegistryAccess } from "../registries/registry-clients.ts";
import { createResponseCache } from "../registries/response-cache.ts";
import { createRdapClient } from "./rdap-client.ts";
import { createRdapDirectory, ianaBootstrapUrl } from "./rdap-directory.ts";
import type { RdapServices } from "./rdap-services.ts";
import type { RegistrationOutcome } from "./registration-outcome.ts";
import { createWhoisLookup } from "./whois-lookup.ts";
import { embeddedWhoisServers, type WhoisServerFor } from "./whois-servers.ts";

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
