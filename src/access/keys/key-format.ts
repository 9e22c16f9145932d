import type { FillRandom } from "../../lib/ids.ts";

/**
 * How a key looks: `pw_`, 32 random base62 characters (190 bits), and 6 that check them, after the manner
 * of GitHub's tokens: the CRC-32 (ISO 3309) of the 32 as a base62 number with leading zeros. A secret
 * scanner can tell a leaked key from noise without asking anybody.
 */
const keyPrefix = "pw_";
const randomLength = 32;
const checksumLength = 6;

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
// The largest multiple of 62 in a byte: bytes from here on would favour the first characters.
const unbiasedBelow = 248;

const madeKey = /^pw_[0-9A-Za-z]{38}$/;
// Keys that the configuration file declares may be any of these.
const acceptableKey = /^[\x21-\x7e]{20,200}$/;

/** How many characters of a key are kept in the clear, for display. */
export const shownLength = 8;

/** A new key of the product's own form. */
export function makeKey(fillRandom: FillRandom): string {
  const random = randomBase62(randomLength, fillRandom);
  return `${keyPrefix}${random}${checksum(random)}`;
}

/** Whether `text` has the form of a key made here and its checksum is right. */
export function isMadeKey(text: string): boolean {
  if (!madeKey.test(text)) return false;
  const random = text.slice(keyPrefix.length, keyPrefix.length + randomLength);
  return text.endsWith(checksum(random));
}

/** Whether `text` can be a key at all: 20 to 200 visible ASCII characters. */
export function isAcceptableKey(text: string): boolean {
  return acceptableKey.test(text);
}

/**
 * What is stored of a key: its SHA-256. A slow password hash would be of no use: keys made here cannot be
 * guessed, and each request would pay for it.
 */
export function hashKey(key: string): Buffer {
  return Buffer.from(Bun.SHA256.hash(key).buffer);
}

function checksum(random: string): string {
  let rest = Bun.hash.crc32(random);
  let text = "";
  for (let index = 0; index < checksumLength; index += 1) {
    text = base62.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

function randomBase62(length: number, fillRandom: FillRandom): string {
  let text = "";
  const bytes = new Uint8Array(length);
  while (text.length < length) {
    fillRandom(bytes);
    for (const byte of bytes) {
      if (byte < unbiasedBelow && text.length < length) text += base62.charAt(byte % 62);
    }
  }
  return text;
}
