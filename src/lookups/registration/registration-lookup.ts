import { getDomain } from "tldts";
import { type Clock, toIsoTime } from "../../lib/clock.ts";
import { parseHostName } from "../../lib/host-names.ts";
import { createHttpClient } from "../../network/http/http-client.ts";
import type { AddressRules } from "../../network/addresses.ts";
import type { ResolveHost } from "../../network/resolve.ts";
import type { Registration } from "../../vocabulary/registration.ts";
import { createAnswerCache } from "./response-cache.ts";
import { createRdapClient } from "./rdap-client.ts";
import { createRdapDirectory, ianaBootstrapUrl } from "./rdap-directory.ts";
import type { RdapServices } from "./rdap-services.ts";
import type { RegistrationOutcome } from "./registration-outcome.ts";
import { createServerPacing } from "./server-pacing.ts";
import { createWhoisClient } from "./whois-client.ts";
import { createWhoisLookup } from "./whois-lookup.ts";
import { embeddedWhoisServers, type WhoisServerFor } from "./whois-servers.ts";

export type RegistrationResult =
  /** `raw` is the start of the registry's answer as it came: show nothing of it unescaped. */
  | { ok: true; registration: Registration; raw: string }
  /**
   * `unregistered` only when the registry said so; everything else means that nothing is known. `postponed`: nobody
   * was asked, for too many others wait for that server, or it wants to be left alone.
   */
  | { ok: false; reason: string; retryAfterMs?: number; unregistered?: boolean; postponed?: boolean };

export interface RegistrationLookup {
  /** Registration data of the registrable domain of `name`. Never throws for what others did. */
  lookUpRegistration(name: string): Promise<RegistrationResult>;
  close(): void;
}

const requestTimeoutMs = 10_000;
const whoisAnswerBytesMax = 64 * 1024;
const questionIntervalMs = 1_000;
const turnWaitMsMax = 30_000;
const cacheEntriesMax = 5_000;
const registeredKeepMs = 6 * 3_600_000;
const unregisteredKeepMs = 3_600_000;
const ianaWhoisServer = "whois.iana.org";

/**
 * Registration data: from RDAP where the suffix has a service, else, or when that service does not answer, from
 * WHOIS. Connects only to addresses that `rules` allow, whoever named the server.
 */
export function createRegistrationLookup({
  clock,
  rules,
  resolveHost,
  userAgent,
  rdapServices,
  bootstrapUrl = ianaBootstrapUrl,
  whoisServerFor = embeddedWhoisServers(),
  ianaServer = ianaWhoisServer,
  timeoutMs = requestTimeoutMs,
  intervalMs = questionIntervalMs,
}: {
  clock: Clock;
  rules: AddressRules;
  resolveHost: ResolveHost;
  userAgent: string;
  /** Taken as they are, instead of IANA's list. */
  rdapServices?: RdapServices;
  /** Where IANA's list of RDAP services is. */
  bootstrapUrl?: string;
  whoisServerFor?: WhoisServerFor;
  ianaServer?: string;
  /** For one request. */
  timeoutMs?: number;
  /** Between two questions to one server. */
  intervalMs?: number;
}): RegistrationLookup {
  const client = createHttpClient({ rules, resolveHost });
  const directory = createRdapDirectory({ client, clock, url: bootstrapUrl, userAgent, timeoutMs });
  const pacing = createServerPacing({ clock, intervalMs, waitMsMax: turnWaitMsMax });
  const rdap = createRdapClient({ client, clock, pacing, userAgent, timeoutMs });
  const ask = createWhoisClient({
    clock,
    rules,
    resolveHost,
    timeoutMs,
    answerBytesMax: whoisAnswerBytesMax,
  });
  const whois = createWhoisLookup({ ask, serverFor: whoisServerFor, pacing, ianaServer });
  const cached = createAnswerCache<RegistrationResult>({
    clock,
    entriesMax: cacheEntriesMax,
    keepMs: (answer) =>
      answer.ok ? registeredKeepMs : answer.unregistered === true ? unregisteredKeepMs : 0,
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
      // The private section of the list does not count: `github.io` is what somebody registered.
      const domain = hostName === null ? null : getDomain(hostName, { allowPrivateDomains: false });
      if (domain === null) return { ok: false, reason: "not a name that can be registered" };
      return cached(domain, () => lookUpDomain(domain));
    },
    close: () => client.close(),
  };
}
