import type { Turns } from "../../../platform/network/turns.ts";
import type { GetRdap } from "../registries/rdap-requests.ts";
import type { Contact, LookupFailure, ServerPacing } from "../registries/server-pacing.ts";
import type { QueryWhois } from "../registries/whois-client.ts";
import type { Network } from "./address-range.ts";
import { readRdapNetwork } from "./rdap-network.ts";
import { readWhoisNetwork, whoisAddressQuery, type WhoisNetworkReading } from "./whois-network.ts";

export type NetworkOutcome = { kind: "network"; network: Network } | LookupFailure;

const referralsMax = 1;

interface NetworkQueriesDependencies {
  get: GetRdap;
  pacing: ServerPacing;
  query: QueryWhois;
  turns: Turns;
}

/** Queries registries for the network of an address. Neither function throws for what servers do. */
export function createNetworkQueries({ get, pacing, query, turns }: NetworkQueriesDependencies) {
  async function queryRdap(address: string, rdapUrl: string): Promise<NetworkOutcome> {
    const page = await get(new URL(`ip/${address}`, rdapUrl).href);
    if ("kind" in page) return page;
    await turns.next();
    const reading = readRdapNetwork(page.text, address);
    const server = new URL(page.url).host;
    if (page.status !== 200) return { kind: "failed", reason: `${server}: HTTP status ${page.status}` };
    if (reading.kind === "unreadable") return { kind: "failed", reason: `${server}: ${reading.reason}` };
    const network: Network = { ...reading.network, source: "rdap", url: page.url };
    const parent =
      network.abuseEmail === undefined && reading.parentUrl !== undefined
        ? await queryParent(address, reading.parentUrl, page.url)
        : undefined;
    return { kind: "network", network: parent === undefined ? network : { ...network, ...parent } };
  }

  /** Returns holder and contact of the network that contains one without a contact, if the same server knows it. */
  async function queryParent(
    address: string,
    parentUrl: string,
    url: string,
  ): Promise<Partial<Network> | undefined> {
    if (new URL(parentUrl).origin !== new URL(url).origin) return undefined;
    const page = await get(parentUrl);
    if ("kind" in page || page.status !== 200) return undefined;
    await turns.next();
    const reading = readRdapNetwork(page.text, address);
    if (reading.kind === "unreadable" || reading.network.abuseEmail === undefined) return undefined;
    const { first: _first, last: _last, ...holder } = reading.network;
    return { ...holder, url: page.url };
  }

  async function queryWhois(address: string, firstServer: string): Promise<NetworkOutcome> {
    let server = firstServer;
    for (let referrals = 0; referrals <= referralsMax; referrals += 1) {
      const target = server;
      const result = await pacing.query(target, async (): Promise<Contact<WhoisNetworkReading>> => {
        const response = await query(target, whoisAddressQuery(target, address));
        if ("failure" in response) return { kind: "failed", reason: response.failure };
        await turns.next();
        const reading = readWhoisNetwork(response.text, address);
        if (reading.kind === "limited")
          return { kind: "overloaded", reason: "rate limit exceeded", retryAfterMs: undefined };
        return { kind: "response", response: reading, isFinal: true };
      });
      if (result.kind !== "response") return result;
      const reading = result.response;
      if (reading.kind === "network")
        return {
          kind: "network",
          network: { ...reading.network, source: "whois", url: `whois://${target}` },
        };
      if (reading.kind !== "referral")
        return {
          kind: "failed",
          reason: `${target}: ${reading.kind === "unreadable" ? reading.reason : "rate limit exceeded"}`,
        };
      server = reading.server;
    }
    return { kind: "failed", reason: `${firstServer}: more than ${referralsMax} referral` };
  }

  return { queryRdap, queryWhois };
}
