import type { FillRandom } from "../../platform/lib/ids.ts";

/**
 * Format of a key, modeled on GitHub's tokens: `pw_`, 32 random base62 characters (190 bits), and a checksum of 6
 * characters, the CRC-32 (ISO 3309) of the 32 as a base62 number with leading zeros. The checksum lets a secret scanner
 * recognize a leaked key offline.
 */
const keyPrefix = "pw_";
const randomLength = 32;
const checksumLength = 6;

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
// The largest multiple of 62 in a byte. Larger bytes would favor the first characters.
const unbiasedBelow = 248;

const generatedKey = /^pw_[0-9A-Za-z]{38}$/;
// Keys that the configuration file declares may have any of these forms.
const acceptableKey = /^[\x21-\x7e]{20,200}$/;

/** Number of characters of a key that are stored in plain text, for display. */
export const shownLength = 8;

/** Returns a new key. */
export function generateKey(fillRandom: FillRandom): string {
  const random = randomBase62(randomLength, fillRandom);
  return `${keyPrefix}${random}${checksum(random)}`;
}

/** Returns whether `text` has the format of a generated key, with a correct checksum. */
export function isGeneratedKey(text: string): boolean {
  if (!generatedKey.test(text)) return false;
  const random = text.slice(keyPrefix.length, keyPrefix.length + randomLength);
  return text.endsWith(checksum(random));
}

/** Returns whether `text` can be a key: 20 to 200 visible ASCII characters. */
export function isAcceptableKey(text: string): boolean {
  return acceptableKey.test(text);
}

/**
 * Returns the SHA-256 of a key, which is stored instead of the key. A slow password hash would delay each request
 * without a benefit, because generated keys cannot be guessed.
 */
export function hashKey(key: string): Buffer {
  return Buffer.from(Bun.SHA256.hash(key).buffer);
}

function checksum(random: string): string {
  let remainder = Bun.hash.crc32(random);
  let text = "";
  for (let index = 0; index < checksumLength; index += 1) {
    text = base62.charAt(remainder % 62) + text;
    remainder = Math.floor(remainder / 62);
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
