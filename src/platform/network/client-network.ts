import { isIPv4, isIPv6 } from "node:net";
import { addressNumber } from "./addresses.ts";

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
  const digits = addressNumber(address.replace(/%.*$/, ""))!.value.toString(16).padStart(32, "0");
  const groups = digits.match(/.{4}/g)!.slice(0, ipv6Groups);
  return groups.map((group) => group.replace(/^0+(?=.)/, "")).join(":");
}
