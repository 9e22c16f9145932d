import { fromUUIDBytes, toUUIDBytes, type TypeId } from "typeid-js";
import type { Instant } from "./clock.ts";

/**
 * TypeIDs (https://github.com/jetify-com/typeid/tree/main/spec, version 0.3): a prefix that names
 * the kind, an underscore, and a UUIDv7 (RFC 9562) as 26 characters of Crockford's base32, lowercase.
 */
const idPrefixes = {
  threat: "thr",
  event: "evt",
  apiKey: "key",
  delivery: "dlv",
  scan: "scn",
  protectedDomain: "dom",
} as const;

export type IdKind = keyof typeof idPrefixes;

// The first of the 26 characters carries only 3 bits: 128 = 3 + 25 × 5.
const suffix = "[0-7][0-9a-hjkmnp-tv-z]{25}";
const suffixPattern = new RegExp(`^${suffix}$`);

/** Source of a regular expression that matches identifiers of this kind. */
export function idPattern(kind: IdKind): string {
  return prefixedIdPattern(idPrefixes[kind]);
}

/** Returns the pattern of identifiers with a prefix that their subject declares itself. */
export function prefixedIdPattern(prefix: string): string {
  return `^${prefix}_${suffix}$`;
}

/**
 * Fills a buffer with unpredictable bytes, like `crypto.getRandomValues`.
 *
 * @param purpose a deterministic source has a stream for each purpose, so that the bytes of one do not depend on when
 *   another takes its own
 */
export type FillRandom = (bytes: Uint8Array, purpose?: string) => void;

/** Returns an unguessable base64url string of `bytesCount` random bytes, for cookies and URLs. */
export function randomText(fillRandom: FillRandom, bytesCount: number): string {
  const bytes = new Uint8Array(bytesCount);
  fillRandom(bytes);
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Returns `bytesCount` random bytes as hexadecimal digits. */
export function randomHex(fillRandom: FillRandom, bytesCount: number): string {
  const bytes = new Uint8Array(bytesCount);
  fillRandom(bytes);
  return bytes.toHex();
}

/** Returns an unpredictable number from 0 to below 1, such as a share of a delay. */
export function randomNumber(fillRandom: FillRandom): number {
  const bytes = new Uint8Array(4);
  fillRandom(bytes, "number");
  return new DataView(bytes.buffer).getUint32(0) / 2 ** 32;
}

/** Creates identifiers. Each is greater than all that were created before for the same kind. */
export type IdFactory = ReturnType<typeof createIdFactory>;

export function createIdFactory(now: () => Instant, fillRandom: FillRandom) {
  const last = new Map<string, string>();
  function next(prefix: string, after: string): string {
    const fill: FillRandom = (bytes) => fillRandom(bytes, prefix);
    const known = last.get(prefix) ?? "";
    const floor = known > after ? known : after;
    const fresh: string = fromUUIDBytes(prefix, uuidV7(now(), fill));
    const id =
      fresh > floor ? fresh : fromUUIDBytes(prefix, successor(toUUIDBytes(floor as TypeId<string>), fill));
    last.set(prefix, id);
    return id;
  }
  return {
    /**
     * @param after identifier of the same kind that the new one must be greater than, whatever the clock says:
     *   another process may have created it, or the clock may have been set back.
     */
    next: (kind: IdKind, after = "") => next(idPrefixes[kind], after),

    /** Makes an identifier with a prefix that its subject declares itself: three letters that no other kind has. */
    nextWithPrefix: (prefix: string) => next(prefix, ""),
  };
}

/** Returns whether `text` is a well-formed identifier of this kind. */
export function isId(kind: IdKind, text: string): boolean {
  const prefix = `${idPrefixes[kind]}_`;
  return text.startsWith(prefix) && suffixPattern.test(text.slice(prefix.length));
}

/** RFC 9562 section 5.7: 48 bits of time, 4 of version, 12 random, 2 of variant, 62 random. */
function uuidV7(instant: Instant, fillRandom: FillRandom): Uint8Array {
  const bytes = new Uint8Array(16);
  fillRandom(bytes);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, Math.floor(instant / 2 ** 32));
  view.setUint32(2, instant % 2 ** 32);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return bytes;
}

/**
 * RFC 9562 section 6.2, method 2: within a millisecond, or after the clock was set back, the random part is
 * incremented by a random step, so that identifiers stay in order and cannot be guessed. An overflow carries into
 * the time.
 */
function successor(uuid: Uint8Array, fillRandom: FillRandom): Uint8Array {
  const step = new Uint8Array(4);
  fillRandom(step);
  const view = new DataView(uuid.buffer, uuid.byteOffset, 16);
  const high = view.getBigUint64(0);
  const low = view.getBigUint64(8);
  const time = high >> 16n;
  const random = ((high & 0xfffn) << 62n) | (low & lowMask);
  const next = random + BigInt(new DataView(step.buffer).getUint32(0)) + 1n;
  view.setBigUint64(0, ((time + (next >> 74n)) << 16n) | 0x7000n | ((next >> 62n) & 0xfffn));
  view.setBigUint64(8, (1n << 63n) | (next & lowMask));
  return uuid;
}

const lowMask = (1n << 62n) - 1n;
