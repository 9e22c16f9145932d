import type { Clock } from "../../../platform/lib/clock.ts";
import { addressNumber } from "../../../platform/network/addresses.ts";
import { rangeAround, type AddressRange } from "./address-range.ts";
import type { Network } from "./network.ts";

/** Caches networks by the range of their addresses. */
export interface NetworkCache {
  find(address: string): Network | undefined;
  add(address: string, network: Network): void;
}

/**
 * A response is reused for addresses in the same block of this prefix length. Registries respond with the smallest
 * network of the address that was queried, and elsewhere in a large one there may be smaller ones of other holders.
 */
const sharedBits = { 32: 20, 128: 32 } as const;

export function createNetworkCache({
  clock,
  entriesMax,
  keepMs,
}: {
  clock: Pick<Clock, "monotonicMs">;
  entriesMax: number;
  keepMs: number;
}): NetworkCache {
  // Newest last. A linear search of the largest cache takes a fraction of a millisecond.
  let entries: { network: Network; range: AddressRange; untilMs: number }[] = [];
  return {
    find(address) {
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
    add(address, network) {
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
