import { addressClass, addressNumber } from "../../../platform/network/addresses.ts";
import { createRegistryClients, type RegistryAccess } from "../registries/registry-clients.ts";
import {
  embeddedAddressRegistries,
  type AddressRegistry,
  type AddressRegistryFor,
} from "./address-registries.ts";
import { type Network, rangeAround, type AddressRange } from "./address-range.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import type { Turns } from "../../../platform/network/turns.ts";
import type { GetRdap } from "../registries/rdap-requests.ts";
import type { Contact, LookupFailure, ServerPacing } from "../registries/server-pacing.ts";
import type { QueryWhois } from "../registries/whois-client.ts";
import { readRdapNetwork } from "./rdap-network.ts";
import { readWhoisNetwork, whoisAddressQuery, type WhoisNetworkReading } from "./whois-network.ts";

export type NetworkResult =
  | { ok: true; network: Network }
  /** `postponed`: no server was queried, because too many queries wait for it or it demanded a pause. */
  | { ok: false; reason: string; retryAfterMs?: number; postponed?: boolean };

/** Looks up who holds the network of an IP address. */
export type NetworkLookup = ReturnType<typeof createNetworkLookup>;

const cacheEntriesMax = 2_000;
const cachedMs = 86_400_000;

/**
 * Queries the RDAP service of the address's regional registry (RFC 9082 §3.1.1), and its WHOIS server if that fails.
 */
export function createNetworkLookup({
  registryFor = embeddedAddressRegistries(),
  ...access
}: RegistryAccess & { registryFor?: AddressRegistryFor }) {
  const { client, ...clients } = createRegistryClients(access);
  const { queryRdap, queryWhois } = createNetworkQueries(clients);
  const cache = createNetworkCache({ clock: access.clock, entriesMax: cacheEntriesMax, keepMs: cachedMs });
  /** Queries in progress by block of addresses, as one response may be about all of them. */
  const inProgress = new Map<string, Promise<NetworkResult>>();

  async function lookUp(address: string, registry: AddressRegistry): Promise<NetworkResult> {
    const first = await queryRdap(address, registry.rdapUrl);
    if (first.kind !== "failed") return resultOf(address, first);
    const second = await queryWhois(address, registry.whoisServer);
    if (second.kind === "failed") return { ok: false, reason: `${first.reason}; ${second.reason}` };
    return resultOf(address, second);
  }

  function resultOf(address: string, outcome: NetworkOutcome): NetworkResult {
    switch (outcome.kind) {
      case "network":
        cache.add(address, outcome.network);
        return { ok: true, network: outcome.network };
      case "limited": {
        const { reason, retryAfterMs, postponed = false } = outcome;
        return { ok: false, reason, retryAfterMs, ...(postponed && { postponed }) };
      }
      case "failed":
        return { ok: false, reason: outcome.reason };
    }
  }

  return {
    /** Never throws for what servers do. */
    async lookUpNetwork(address: string): Promise<NetworkResult> {
      if (addressClass(address) !== "global")
        return { ok: false, reason: `${address} is not a public address` };
      const registry = registryFor(address);
      if (registry === undefined) return { ok: false, reason: `${address} belongs to no regional registry` };
      const block = blockOf(address);
      for (let running = inProgress.get(block); running !== undefined; running = inProgress.get(block)) {
        const result = await running;
        // Waiting in turn for a server that does not respond helps nobody.
        if (!result.ok) return result;
        if (cache.find(address) !== undefined) break;
      }
      const network = cache.find(address);
      if (network !== undefined) return { ok: true, network };
      const requested = lookUp(address, registry).finally(() => inProgress.delete(block));
      inProgress.set(block, requested);
      return requested;
    },
    close: () => client.close(),
  };
}

/** Returns a key for the /24 (IPv4) or /48 (IPv6) of an address. */
function blockOf(address: string): string {
  const { value = 0n, width = 32 } = addressNumber(address) ?? {};
  return `${width}/${value >> (width === 32 ? 8n : 80n)}`;
}

/**
 * A response is reused for addresses in the same block of this prefix length. Registries respond with the smallest
 * network of the address that was queried, and elsewhere in a large one there may be smaller ones of other holders.
 */
const sharedBits = { 32: 20, 128: 32 } as const;

interface NetworkCacheDependencies {
  clock: Pick<Clock, "monotonicMs">;
  entriesMax: number;
  keepMs: number;
}

/** Caches networks by the range of their addresses. */
function createNetworkCache({ clock, entriesMax, keepMs }: NetworkCacheDependencies) {
  // Newest last. A linear search of the largest cache takes a fraction of a millisecond.
  let entries: { network: Network; range: AddressRange; untilMs: number }[] = [];
  return {
    find(address: string) {
      const number = addressNumber(address);
      if (number === undefined) return undefined;
      const now = clock.monotonicMs();
      if (entries[0] !== undefined && entries[0].untilMs <= now)
        entries = entries.filter(({ untilMs }) => untilMs > now);
      return entries.find(
        ({ range }) =>
          range.width === number.width && range.first <= number.value && range.last >= number.value,
      )?.network;
    },
    add(address: string, network: Network) {
      const range = rangeAround(network.first, network.last, address);
      const number = addressNumber(address);
      if (range === undefined || number === undefined) return;
      const hosts = BigInt(range.width - sharedBits[range.width]);
      const start = (number.value >> hosts) << hosts;
      const end = start | ((1n << hosts) - 1n);
      entries.push({
        network,
        range: {
          width: range.width,
          first: range.first > start ? range.first : start,
          last: range.last < end ? range.last : end,
        },
        untilMs: clock.monotonicMs() + keepMs,
      });
      if (entries.length > entriesMax) entries.shift();
    },
  };
}

type NetworkOutcome = { kind: "network"; network: Network } | LookupFailure;

const referralsMax = 1;

interface NetworkQueriesDependencies {
  get: GetRdap;
  pacing: ServerPacing;
  query: QueryWhois;
  turns: Turns;
}

/** Queries registries for the network of an address. Neither function throws for what servers do. */
function createNetworkQueries({ get, pacing, query, turns }: NetworkQueriesDependencies) {
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
