import { isIPv4, isIPv6 } from "node:net";

/**
 * Class of the address that a connection would go to.
 *
 * - `global`: reachable from anywhere
 * - `private`: private networks (RFC 1918, shared address space, unique local, benchmarking)
 * - `loopback`, `link_local`, `multicast`, `unspecified`
 * - `metadata`: cloud metadata services, which give credentials to any process on the machine
 * - `reserved`: no host (documentation, discard, future use, unallocated)
 */
export type AddressClass =
  "global" | "private" | "loopback" | "link_local" | "multicast" | "unspecified" | "metadata" | "reserved";

export interface AddressRules {
  /** Whether connections to loopback and private addresses are allowed. */
  allowPrivateNetworks: boolean;
  /** Whether only connections to this machine are allowed. Absent: no. */
  onlyLoopback?: boolean | undefined;
}

/** Reason why an address must not be connected to. */
export interface AddressRefusal {
  address: string;
  /** `invalid`: not an IP address. `own`: of this machine or its IPv6 network. */
  class: AddressClass | "invalid" | "own";
  /** Whether `allowPrivateNetworks` would allow it. */
  allowable: boolean;
}

type Verdict = AddressClass | "embedded";
interface Range {
  /** The first bits of the address, as a number of `bits` bits. */
  prefix: bigint;
  bits: number;
  verdict: Verdict;
  /** For `embedded`: number of bits after the embedded IPv4 address. */
  shift: bigint;
}

/**
 * IANA IPv4 Special-Purpose Address Registry (RFC 6890, as of 2025-05-15), the multicast registry, and the
 * metadata services outside of link-local space. The longest matching prefix decides.
 */
const ipv4Ranges = ranges(32, [
  ["0.0.0.0/8", "unspecified"], // RFC 791: this network
  ["10.0.0.0/8", "private"], // RFC 1918
  ["100.64.0.0/10", "private"], // RFC 6598: shared address space
  ["100.100.100.200/32", "metadata"], // Alibaba Cloud
  ["127.0.0.0/8", "loopback"], // RFC 1122
  ["168.63.129.16/32", "metadata"], // Azure
  ["169.254.0.0/16", "link_local"], // RFC 3927
  ["169.254.169.254/32", "metadata"], // AWS, Azure, Google Cloud and others
  ["169.254.170.2/32", "metadata"], // AWS ECS credentials
  ["172.16.0.0/12", "private"], // RFC 1918
  ["192.0.0.0/24", "reserved"], // RFC 6890: IETF protocol assignments
  ["192.0.0.9/32", "global"], // RFC 7723: port control protocol anycast
  ["192.0.0.10/32", "global"], // RFC 8155: TURN anycast
  ["192.0.0.192/32", "metadata"], // Oracle Cloud
  ["192.0.2.0/24", "reserved"], // RFC 5737: documentation
  ["192.88.99.0/24", "reserved"], // RFC 7526: 6to4 relay anycast, withdrawn
  ["192.168.0.0/16", "private"], // RFC 1918
  ["198.18.0.0/15", "private"], // RFC 2544: benchmarking
  ["198.51.100.0/24", "reserved"], // RFC 5737: documentation
  ["203.0.113.0/24", "reserved"], // RFC 5737: documentation
  ["224.0.0.0/4", "multicast"], // RFC 5771
  ["240.0.0.0/4", "reserved"], // RFC 1112: future use
  ["255.255.255.255/32", "multicast"], // RFC 8190: limited broadcast
]);

/**
 * IANA IPv6 Special-Purpose Address Registry (as of 2025-05-15). Addresses that no row covers are reserved: only
 * 2000::/3 is allocated for global unicast.
 */
const ipv6Ranges = ranges(128, [
  ["::/0", "reserved"],
  ["::/128", "unspecified"], // RFC 4291
  ["::1/128", "loopback"], // RFC 4291
  ["::ffff:0:0/96", "embedded", 0], // RFC 4291: IPv4-mapped
  ["64:ff9b::/96", "embedded", 0], // RFC 6052: NAT64
  ["64:ff9b:1::/48", "reserved"], // RFC 8215: local-use NAT64, where only the network knows the inner address
  ["100::/64", "reserved"], // RFC 6666: discard
  ["100:0:0:1::/64", "reserved"], // RFC 9780: dummy
  ["2000::/3", "global"], // RFC 4291
  ["2001::/23", "reserved"], // RFC 2928: IETF protocol assignments, Teredo among them
  ["2001:1::1/128", "global"], // RFC 7723: port control protocol anycast
  ["2001:1::2/128", "global"], // RFC 8155: TURN anycast
  ["2001:1::3/128", "global"], // RFC 9665: DNS-SD anycast
  ["2001:2::/48", "private"], // RFC 5180: benchmarking
  ["2001:3::/32", "global"], // RFC 7450: AMT
  ["2001:4:112::/48", "global"], // RFC 7535: AS112
  ["2001:20::/28", "global"], // RFC 7343: ORCHIDv2
  ["2001:30::/28", "global"], // RFC 9374: drone remote identification
  ["2001:db8::/32", "reserved"], // RFC 3849: documentation
  ["2002::/16", "embedded", 80], // RFC 3056: 6to4
  ["3fff::/20", "reserved"], // RFC 9637: documentation
  ["fc00::/7", "private"], // RFC 4193: unique local
  ["fd00:42::42/128", "metadata"], // Scaleway
  ["fd00:100::100:200/128", "metadata"], // Alibaba Cloud
  ["fd00:a9fe:a9fe::1/128", "metadata"], // Akamai (Linode)
  ["fd00:c1::a9fe:a9fe/128", "metadata"], // Oracle Cloud
  ["fd00:ec2::/32", "metadata"], // AWS: instance metadata, credentials of EKS pods, and other services of the machine
  ["fd20:ce::254/128", "metadata"], // Google Cloud
  ["fe80::/10", "link_local"], // RFC 4291
  ["fe80::a9fe:a9fe/128", "metadata"], // OpenStack
  ["ff00::/8", "multicast"], // RFC 4291
]);

/** Returns the class of an IPv4 or IPv6 address in any textual form without zone and brackets; undefined for anything else. */
export function addressClass(address: string): AddressClass | undefined {
  if (isIPv4(address)) return classify(ipv4Ranges, 32, ipv4Bits(address));
  const bare = address.replace(/%.*$/, "");
  return isIPv6(bare) ? classify(ipv6Ranges, 128, ipv6Bits(bare)) : undefined;
}

/** Returns an IPv4 or IPv6 address without zone as a number with its width in bits; undefined for anything else. */
export function addressNumber(address: string): { value: bigint; width: 32 | 128 } | undefined {
  if (isIPv4(address)) return { value: ipv4Bits(address), width: 32 };
  return isIPv6(address) && !address.includes("%") ? { value: ipv6Bits(address), width: 128 } : undefined;
}

/** Returns the IPv4 address that an IPv6 address contains, or else the address itself, as a number; undefined for anything else. */
export function innerAddress(address: string): ReturnType<typeof addressNumber> {
  const whole = addressNumber(address.replace(/%.*$/, ""));
  if (whole === undefined || whole.width === 32) return whole;
  const range = ipv6Ranges.find((one) => whole.value >> BigInt(128 - one.bits) === one.prefix);
  if (range?.verdict !== "embedded") return whole;
  return { value: (whole.value >> range.shift) & 0xffff_ffffn, width: 32 };
}

/** Returns why `address` must not be connected to; undefined if it may be. */
export function refusal(
  address: string,
  { allowPrivateNetworks, onlyLoopback = false }: AddressRules,
): AddressRefusal | undefined {
  const found = addressClass(address) ?? "invalid";
  if (onlyLoopback && found !== "loopback") return { address, class: found, allowable: false };
  if (found === "global") return undefined;
  const allowable = found === "private" || found === "loopback";
  return allowable && allowPrivateNetworks ? undefined : { address, class: found, allowable };
}

export function describeRefusal({ address, class: found, allowable }: AddressRefusal): string {
  if (found === "invalid") return `${address} is not an IP address`;
  if (found === "own") return `${address} is an address of this machine or its network`;
  const article = found === "unspecified" ? "an" : "a";
  const what = `${address} is ${article} ${found.replace("_", "-")} address`;
  return allowable ? what : `${what}, which is never connected to`;
}

function classify(table: readonly Range[], width: number, bits: bigint): AddressClass {
  const range = table.find((candidate) => bits >> BigInt(width - candidate.bits) === candidate.prefix);
  if (range === undefined) return "global";
  if (range.verdict !== "embedded") return range.verdict;
  return classify(ipv4Ranges, 32, (bits >> range.shift) & 0xffff_ffffn);
}

/** Longest prefix first, so that the first match decides. */
function ranges(width: number, rows: readonly (readonly [string, Verdict, number?])[]): Range[] {
  return rows
    .map(([block, verdict, shift]) => {
      const [address, bits] = block.split("/") as [string, string];
      const value = width === 32 ? ipv4Bits(address) : ipv6Bits(address);
      return {
        prefix: value >> BigInt(width - Number(bits)),
        bits: Number(bits),
        verdict,
        shift: BigInt(shift ?? 0),
      };
    })
    .sort((a, b) => b.bits - a.bits);
}

function ipv4Bits(address: string): bigint {
  return BigInt(address.split(".").reduce((bits, part) => bits * 256 + Number(part), 0));
}

function ipv6Bits(address: string): bigint {
  // A dotted tail, as in ::ffff:127.0.0.1, replaces the last two groups.
  const text = address.replace(/[0-9.]+$/, (tail) => {
    if (!tail.includes(".")) return tail;
    const bits = ipv4Bits(tail);
    return `${(bits >> 16n).toString(16)}:${(bits & 0xffffn).toString(16)}`;
  });
  const [head = "", tail] = text.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill("0"), ...after];
  return groups.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}
