import { addressClass, addressNumber } from "../../../platform/network/addresses.ts";
import {
  createRegistryClients,
  rdapElseWhois,
  type RegistryAccess,
  type RegistryClients,
  type Contact,
  type LookupFailure,
} from "../registries/registry-clients.ts";
import {
  embeddedAddressRegistries,
  type AddressRegistry,
  type AddressRegistryFor,
} from "./address-registries.ts";
import { type Network, rangeAround, type AddressRange } from "./address-range.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import {
  readRdapNetwork,
  readWhoisNetwork,
  whoisAddressQuery,
  type WhoisNetworkReading,
} from "./network-records.ts";

export type NetworkResult = { ok: true; network: Network } | LookupFailure;

/** Looks up who holds the network of an IP address. */
export type NetworkLookup = ReturnType<typeof createNetworkLookup>;

const cacheEntriesMax = 2_000;
const cachedMs = 86_400_000;

/**
 * Queries the RDAP service of the address's regional registry (RFC 9082 §3.1.1), and its WHOIS server if that fails.
 */
export function createNetworkLookup(dependencies: RegistryAccess & { registryFor?: AddressRegistryFor }) {
  const { registryFor = embeddedAddressRegistries(), ...access } = dependencies;
  const clients = createRegistryClients(access);
  const { queryRdap, queryWhois } = createNetworkQueries(clients);
  const cache = createNetworkCache(access.clock);
  /** Queries in progress by block of addresses, as one response may be about all of them. */
  const inProgress = new Map<string, Promise<NetworkResult>>();

  async function lookUp(address: string, registry: AddressRegistry): Promise<NetworkResult> {
    const result = await rdapElseWhois(
      () => queryRdap(address, registry.rdapUrl),
      () => queryWhois(address, registry.whoisServer),
    );
    if (result.ok) cache.add(address, result.network);
    return result;
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
        // The server does not respond: another query would only wait as long.
        if (!result.ok) return result;
        if (cache.find(address) !== undefined) break;
      }
      const network = cache.find(address);
      if (network !== undefined) return { ok: true, network };
      const requested = lookUp(address, registry).finally(() => inProgress.delete(block));
      inProgress.set(block, requested);
      return requested;
    },
    close: () => clients.client.close(),
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

/** Caches networks by the range of their addresses. */
function createNetworkCache(clock: Pick<Clock, "monotonicMs">) {
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
        untilMs: clock.monotonicMs() + cachedMs,
      });
      if (entries.length > cacheEntriesMax) entries.shift();
    },
  };
}

const referralsMax = 1;

/** Queries registries for the network of an address. Neither function throws for what servers do. */
function createNetworkQueries({ get, queryWhois }: Pick<RegistryClients, "get" | "queryWhois">) {
  async function queryRdap(address: string, rdapUrl: string): Promise<NetworkResult> {
    const page = await get(new URL(`ip/${address}`, rdapUrl).href);
    if (!page.ok) return page;
    const reading = readRdapNetwork(page.text, address);
    const server = new URL(page.url).host;
    if (page.status !== 200) return { ok: false, reason: `${server}: HTTP status ${page.status}` };
    if (reading.kind === "unreadable") return { ok: false, reason: `${server}: ${reading.reason}` };
    const network: Network = { ...reading.network, source: "rdap", url: page.url };
    const parent =
      network.abuseEmail === undefined && reading.parentUrl !== undefined
        ? await queryParent(address, reading.parentUrl, page.url)
        : undefined;
    return { ok: true, network: { ...network, ...parent } };
  }

  /** Returns holder and contact of the network that contains one without a contact, if the same server knows it. */
  async function queryParent(
    address: string,
    parentUrl: string,
    url: string,
  ): Promise<Partial<Network> | undefined> {
    if (new URL(parentUrl).origin !== new URL(url).origin) return undefined;
    const page = await get(parentUrl);
    if (!page.ok || page.status !== 200) return undefined;
    const reading = readRdapNetwork(page.text, address);
    if (reading.kind === "unreadable" || reading.network.abuseEmail === undefined) return undefined;
    const { first: _first, last: _last, ...holder } = reading.network;
    return { ...holder, url: page.url };
  }

  async function queryAtWhois(address: string, firstServer: string): Promise<NetworkResult> {
    let server = firstServer;
    for (let referrals = 0; referrals <= referralsMax; referrals += 1) {
      const result = await queryWhois(
        server,
        whoisAddressQuery(server, address),
        (text): Contact<Exclude<WhoisNetworkReading, { kind: "limited" }>> => {
          const reading = readWhoisNetwork(text, address);
          return reading.kind === "limited"
            ? { kind: "overloaded", reason: "rate limit exceeded", retryAfterMs: undefined }
            : { kind: "response", response: reading, isFinal: true };
        },
      );
      if (!result.ok) return result;
      const reading = result.response;
      if (reading.kind === "network")
        return { ok: true, network: { ...reading.network, source: "whois", url: `whois://${server}` } };
      if (reading.kind === "unreadable") return { ok: false, reason: `${server}: ${reading.reason}` };
      server = reading.server;
    }
    return { ok: false, reason: `${firstServer}: more than ${referralsMax} referral` };
  }

  return { queryRdap, queryWhois: queryAtWhois };
}
