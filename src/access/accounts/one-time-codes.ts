import { createHmac } from "node:crypto";
import type { Instant } from "../../platform/lib/clock.ts";
import type { FillRandom } from "../../platform/lib/ids.ts";

/**
 * Time-based one-time codes (RFC 6238) with the parameters that every authenticator supports: HMAC-SHA-1, 6 digits, 30 s.
 */
const stepMs = 30_000;
const digits = 6;
/** Steps that the clock of the phone may be ahead or behind. */
const toleranceSteps = 1;
/** RFC 4226, section 4, R6: 160 bits are recommended. */
const secretBytes = 20;

/** Maximum length of a code as people type it. */
const enteredCharactersMax = 40;

// Base32 of RFC 4648.
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Returns a new secret: 32 characters of base32. */
export function newCodeSecret(fillRandom: FillRandom): string {
  const bytes = new Uint8Array(secretBytes);
  fillRandom(bytes);
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits
    .match(/.{5}/g)!
    .map((five) => alphabet.charAt(Number.parseInt(five, 2)))
    .join("");
}

/** Returns the URI that an authenticator reads from a QR code (Key Uri Format of Google Authenticator). */
export function codeUri(secret: string, { name, issuer }: { name: string; issuer: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(name)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}

/** Returns the secret in groups of four, for typing. */
export function readableSecret(secret: string): string {
  return secret.match(/.{1,4}/g)!.join(" ");
}

/** Returns the code of a step (RFC 4226, section 5.3). */
function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", decodeSecret(secret)).update(counter).digest();
  const offset = mac[mac.length - 1]! & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/**
 * Returns the code without what people type between its digits, or undefined if it cannot be a code. It reads all of the
 * text: a text must never be a one-time code and a recovery code, because attempts with the latter are not limited.
 */
export function readCode(text: string): string | undefined {
  if (text.length > enteredCharactersMax) return undefined;
  const bare = text.replaceAll(/[\s-]/g, "");
  return new RegExp(`^[0-9]{${digits}}$`).test(bare) ? bare : undefined;
}

/**
 * Returns the step that a code belongs to, if it is valid now: the number of 30-second periods since 1970. A code must be
 * accepted only if its step is greater than the step of the last accepted code.
 */
export function stepOfCode(secret: string, code: string, now: Instant): number | undefined {
  const current = Math.floor(now / stepMs);
  // The newest one first: the codes of two steps may be equal, and the older one may have been used.
  for (let step = current + toleranceSteps; step >= current - toleranceSteps; step -= 1)
    if (codeOf(secret, step) === code) return step;
  return undefined;
}

function decodeSecret(secret: string): Uint8Array {
  const bits = Array.from(secret, (character) =>
    alphabet.indexOf(character).toString(2).padStart(5, "0"),
  ).join("");
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (eight) => Number.parseInt(eight, 2));
}
