import type { NameChunk } from "../name-file-formats/name-chunk.ts";

/** Length of a key in bytes. */
export const hashKeyBytes = 8;

/** Hashes the bytes from `start` to before `end`. Returns a number from 0 to below 2; see `createNameHash`. */
export type NameHash = (bytes: Uint8Array, start: number, end: number) => number;

/**
 * HalfSipHash-2-4 with 64 bits (Aumasson and Bernstein, https://github.com/veorq/SipHash), without its two highest
 * bits. The remaining 62 bits are returned as the bits of a double: typed arrays sort and compare doubles natively, and
 * unlike 64-bit integers they need no allocation.
 *
 * Keyed, because who registers names must not be able to choose two with the same hash: the second one would seem known.
 * By chance, a new name has the hash of one of n known names with a probability of n / 2^62: 1 in 46 billion for 100
 * million known names.
 */
export function createNameHash(key: Uint8Array): NameHash {
  const words = new DataView(key.buffer, key.byteOffset, hashKeyBytes);
  const key0 = words.getInt32(0, true);
  const key1 = words.getInt32(4, true);
  const value = new Float64Array(1);
  const bits = new Int32Array(value.buffer);
  let v0 = 0;
  let v1 = 0;
  let v2 = 0;
  let v3 = 0;

  function rounds(count: number): void {
    for (let round = 0; round < count; round++) {
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
    }
  }

  return (bytes, start, end) => {
    v0 = key0;
    v1 = key1 ^ 0xee;
    v2 = 0x6c796765 ^ key0;
    v3 = 0x74656462 ^ key1;
    let index = start;
    for (; index + 4 <= end; index += 4) {
      const word =
        (bytes[index] ?? 0) |
        ((bytes[index + 1] ?? 0) << 8) |
        ((bytes[index + 2] ?? 0) << 16) |
        ((bytes[index + 3] ?? 0) << 24);
      v3 ^= word;
      rounds(2);
      v0 ^= word;
    }
    let last = (end - start) << 24;
    for (let shift = 0; index < end; index++, shift += 8) last |= (bytes[index] ?? 0) << shift;
    v3 ^= last;
    rounds(2);
    v0 ^= last;
    v2 ^= 0xee;
    rounds(4);
    bits[0] = v1 ^ v3;
    v1 ^= 0xdd;
    rounds(4);
    bits[1] = (v1 ^ v3) & 0x3fff_ffff;
    return value[0] ?? 0;
  };
}

/**
 * Hashes an entry of a list: with its link if it has one, so that a new address on a known host is new. Returns -1 for an
 * entry without a name.
 */
export function hashOfEntry(
  hash: NameHash,
  { bytes, starts, ends, links, linkStarts, linkEnds }: NameChunk,
  index: number,
): number {
  if (links > 0 && (linkEnds[index] ?? 0) > 0)
    return hash(bytes, linkStarts[index] ?? 0, linkEnds[index] ?? 0);
  return (ends[index] ?? 0) > (starts[index] ?? 0) ? hash(bytes, starts[index] ?? 0, ends[index] ?? 0) : -1;
}
