import { addressNumber } from "../../../platform/network/addresses.ts";

/** A range of addresses of one family, as numbers. */
export interface AddressRange {
  width: 32 | 128;
  first: bigint;
  last: bigint;
}

/**
 * Smallest prefix lengths of a network that one organization may hold. Registries respond to a query for an unassigned
 * address with the whole block or all of the Internet.
 */
const bitsMin = { 32: 8, 128: 16 } as const;

/**
 * Returns the range from `first` to `last` if it contains `address` and is not too large to be one network; else
 * undefined.
 */
export function rangeAround(first: string, last: string, address: string): AddressRange | undefined {
  const [from, to, within] = [first, last, address].map((text) => addressNumber(text.trim()));
  if (from === undefined || to === undefined || within === undefined) return undefined;
  const { width } = within;
  if (from.width !== width || to.width !== width) return undefined;
  if (from.value > within.value || to.value < within.value) return undefined;
  if (to.value - from.value >= 1n << BigInt(width - bitsMin[width])) return undefined;
  return { width, first: from.value, last: to.value };
}

/** Parses a block such as `192.0.2.0/24`, also with the last octets left out (`200.3.12/22`), as first and last address. */
export function blockEnds(text: string): { first: string; last: string } | undefined {
  const match = /^([\da-f.:]{1,45})\/(\d{1,3})$/i.exec(text.trim());
  if (match === null) return undefined;
  const short = match[1]!;
  const octets = short.includes(":") ? [] : short.split(".");
  const base = octets.length === 0 ? short : [...octets, "0", "0", "0"].slice(0, 4).join(".");
  const number = addressNumber(base);
  const bits = Number(match[2]);
  if (number === undefined || bits > number.width) return undefined;
  const hosts = BigInt(number.width - bits);
  const first = (number.value >> hosts) << hosts;
  return {
    first: addressText(first, number.width),
    last: addressText(first | ((1n << hosts) - 1n), number.width),
  };
}

/** Returns the address of a number, for IPv6 in full groups. */
function addressText(value: bigint, width: 32 | 128): string {
  const parts = width === 32 ? 4 : 8;
  const bits = BigInt(width / parts);
  return Array.from({ length: parts }, (_, index) => {
    const part = (value >> (bits * BigInt(parts - 1 - index))) & ((1n << bits) - 1n);
    return part.toString(width === 32 ? 10 : 16);
  }).join(width === 32 ? "." : ":");
}

/** A range of IP addresses, as its regional registry describes it. Text of third parties, validated and limited. */
export interface Network {
  /** First and last address, in the registry's notation. */
  first: string;
  last: string;
  /** Name that the holder gave it, such as `EXAMPLE-NET`. */
  name?: string;
  organization?: string;
  /** ISO 3166-1 alpha-2. */
  country?: string;
  /** Autonomous system that announces it. */
  asn?: number;
  abuseEmail?: string;
  abusePhone?: string;
  source: "rdap" | "whois";
  /** URL of the response; for WHOIS, `whois://` and the server. */
  url: string;
}
