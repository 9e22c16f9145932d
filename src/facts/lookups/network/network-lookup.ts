import { addressClass, addressNumber } from "../../../platform/network/addresses.ts";
import { createRegistryClients, type RegistryAccess } from "../registries/registry-clients.ts";
import {
  embeddedAddressRegistries,
  type AddressRegistry,
  type AddressRegistryFor,
} from "./address-registries.ts";
import { type Network, rangeAround, type AddressRange } from "./address-range.ts";
import { createNetworkQueries, type NetworkOutcome } from "./network-queries.ts";
import type { Clock } from "../../../platform/lib/clock.ts";

export type NetworkResult =
  | { ok: true; network: Network }
  /** `postponed`: no server was queried, because too many queries wait for it or it demanded a pause. */
  | { ok: false; reason: string; retryAfterMs?: number; postponed?: boolean };

/** Looks up who holds the network of an IP address. */
export interface NetworkLookup {
  /** Never throws for what servers do. */
  lookUpNetwork(address: string): Promise<NetworkResult>;
  close(): void;
}

const cacheEntriesMax = 2_000;
const cachedMs = 86_400_000;

/**
 * Queries the RDAP service of the address's regional registry (RFC 9082 §3.1.1), and its WHOIS server if that fails.
 */
export function createNetworkLookup({
  registryFor = embeddedAddressRegistries(),
  ...access
}: RegistryAccess & { registryFor?: AddressRegistryFor }): NetworkLookup {
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
    async lookUpNetwork(address) {
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
