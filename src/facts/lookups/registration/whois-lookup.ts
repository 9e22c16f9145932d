import type { Turns } from "../../../platform/network/turns.ts";
import type { Contact, LookupFailure, ServerPacing } from "../registries/server-pacing.ts";
import type { QueryWhois } from "../registries/whois-client.ts";
import { completedBy, joinResponses, rawLengthMax, type RegistrationOutcome } from "./registration-values.ts";
import { readReferral, readWhois, type WhoisReading } from "./whois-record.ts";
import { type WhoisServerFor, whoisQuery } from "./whois-servers.ts";

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
