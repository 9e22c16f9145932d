import { isIPv4, isIPv6 } from "node:net";

/**
 * The network that a client's address belongs to, as one text for all of it: IPv4 /24, IPv6 /48, which is what
 * one customer is given at most (RFC 6177). Whoever changes the address within counts as the same.
 */
export function clientNetwork(address: string | null): string {
  if (address === null) return "";
  if (isIPv4(address)) return address.slice(0, address.lastIndexOf("."));
  if (!isIPv6(address)) return "";
  const [head = "", tail] = address.replace(/%.*$/, "").toLowerCase().split("::");
  const groups = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? 0 : tail.split(":").length;
  // Between them stand as many zeros as are missing; a dotted tail counts for two groups but never reaches the front.
  if (tail !== undefined) while (groups.length < Math.min(3, 8 - after)) groups.push("0");
  return groups
    .slice(0, 3)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}

export interface NetworkLimit {
  /** Takes one of the network's visits of this minute; false: there are none left. */
  take(network: string, now: number): boolean;
}

const minuteMs = 60_000;
const networksMax = 20_000;

/** Lets so many visits of each network through in a minute; remembers the networks of the last minute or so. */
export function createNetworkLimit(perMinute: number): NetworkLimit {
  let current = new Map<string, number>();
  let startedAt = 0;

  return {
    take(network, now) {
      if (now >= startedAt + minuteMs || now < startedAt) {
        current = new Map();
        startedAt = now;
      }
      const taken = current.get(network) ?? 0;
      if (taken >= perMinute) return false;
      if (taken === 0 && current.size >= networksMax) return false;
      current.set(network, taken + 1);
      return true;
    },
  };
}
