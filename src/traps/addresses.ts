import type { FillRandom } from "../lib/ids.ts";

/**
 * Addresses of traps: 128 random bits in the base32 of RFC 4648, lower case, without padding. Mail programs and
 * proxies that change the case of an address leave it whole.
 */
const addressBytes = 16;
const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
const addressLength = 26;

export function makeAddress(fillRandom: FillRandom): string {
  const bytes = new Uint8Array(addressBytes);
  fillRandom(bytes);
  let bits = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n) << 2n;
  let text = "";
  for (let index = 0; index < addressLength; index += 1) {
    text = alphabet.charAt(Number(bits & 31n)) + text;
    bits >>= 5n;
  }
  return text;
}

export type TrapPath = { trap: "beacon"; address: string } | { trap: "token"; address: string };

const beaconPath = /^\/b\/([a-z2-7]{26})(?:\.gif)?$/i;
// Whatever follows makes a bait look like what it is not: /t/…/salaries-2026.xlsx
const tokenPath = /^\/t\/([a-z2-7]{26})(?:[/.].*)?$/i;

/** Whose address a path is, by its form alone. */
export function readPath(path: string): TrapPath | undefined {
  const beacon = beaconPath.exec(path)?.[1];
  if (beacon !== undefined) return { trap: "beacon", address: beacon.toLowerCase() };
  const token = tokenPath.exec(path)?.[1];
  return token === undefined ? undefined : { trap: "token", address: token.toLowerCase() };
}
