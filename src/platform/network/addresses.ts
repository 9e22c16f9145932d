import { isIPv4, isIPv6 } from "node:net";
import special from "./special-addresses.json" with { type: "json" };

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
type Range = ReturnType<typeof ranges>[number];

/**
 * IANA IPv4 Special-Purpose Address Registry (RFC 6890, as of 2025-05-15), the multicast registry, and the
 * metadata services outside of link-local space. The longest matching prefix decides.
 */
const ipv4Ranges = ranges(32, special.ipv4);

/**
 * IANA IPv6 Special-Purpose Address Registry (as of 2025-05-15). Addresses that no row covers are reserved: only
 * 2000::/3 is allocated for global unicast.
 */
const ipv6Ranges = ranges(128, special.ipv6);

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
function ranges(width: number, rows: readonly { range: string; class: string; shift?: number }[]) {
  return rows
    .map(({ range, class: verdict, shift = 0 }) => {
      const [address, bits] = range.split("/") as [string, string];
      const value = width === 32 ? ipv4Bits(address) : ipv6Bits(address);
      return {
        /** The first bits of the address, as a number of `bits` bits. */
        prefix: value >> BigInt(width - Number(bits)),
        bits: Number(bits),
        verdict: verdict as Verdict,
        /** For `embedded`: number of bits after the embedded IPv4 address. */
        shift: BigInt(shift),
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
