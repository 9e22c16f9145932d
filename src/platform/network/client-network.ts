import { isIPv4, isIPv6 } from "node:net";

/**
 * Returns one key for the network of a client's address, so that a client that changes its address within the network
 * counts as the same. IPv6 customers get between a /64 and a /48 (RFC 6177).
 *
 * @param address null: unknown. All unknown and invalid addresses are one network.
 * @param ipv4Octets number of octets that count, of four. @param ipv6Groups number of 16-bit groups, of eight.
 */
export function clientNetwork(
  address: string | null,
  { ipv4Octets, ipv6Groups }: { ipv4Octets: number; ipv6Groups: number },
): string {
  if (address === null) return "";
  if (isIPv4(address)) return address.split(".").slice(0, ipv4Octets).join(".");
  if (!isIPv6(address)) return "";
  const [head = "", tail] = address.replace(/%.*$/, "").toLowerCase().split("::");
  const left = groupsOf(head);
  const right = groupsOf(tail ?? "");
  const zeros = Array<string>(tail === undefined ? 0 : 8 - left.length - right.length).fill("0");
  return [...left, ...zeros, ...right]
    .slice(0, ipv6Groups)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}

function groupsOf(text: string): string[] {
  if (text === "") return [];
  // A dotted tail replaces the last two groups, which are never part of the network.
  return text.split(":").flatMap((group) => (group.includes(".") ? ["0", "0"] : [group]));
}
