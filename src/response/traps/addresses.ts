import type { FillRandom } from "../../platform/lib/ids.ts";

/**
 * Addresses of traps: 128 random bits in the base32 alphabet of RFC 4648, lowercase, without padding. They survive
 * mail programs and proxies that change the case of a URL.
 */
const addressBytes = 16;
const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
const addressLength = 26;

export function createAddress(fillRandom: FillRandom): string {
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

const trapPath = /^\/([a-z]+)\/([a-z2-7]{26})((?:[/.].*)?)$/i;

export interface TrapPath {
  /** Names the kind of trap. */
  segment: string;
  address: string;
  /** Text after the address, such as `/salaries.xlsx`. It makes a URL look harmless. */
  suffix: string;
}

/** Reads a path that has the form of a trap's address; undefined for any other path. */
export function readTrapPath(path: string): TrapPath | undefined {
  const match = trapPath.exec(path);
  if (match === null) return undefined;
  const [, segment = "", address = "", suffix = ""] = match;
  return { segment: segment.toLowerCase(), address: address.toLowerCase(), suffix };
}
