import { isIPv4, isIPv6 } from "node:net";

/**
 * The network that a client's address belongs to, as one text for all of it: whoever changes the address within
 * counts as the same. An IPv6 customer is given a /64 at least and a /48 at most (RFC 6177).
 *
 * @param address null: not known, which is a network of its own, as is what is no address.
 * @param ipv4Octets how many of four count; @param ipv6Groups how many of eight, of 16 bits each
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
  // A dotted tail stands for the last two groups, which no network is told by.
  return text.split(":").flatMap((group) => (group.includes(".") ? ["0", "0"] : [group]));
}
