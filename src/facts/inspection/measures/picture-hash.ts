/** A 64-bit perceptual hash as two unsigned 32-bit integers, which are compared much faster than a `BigInt`. */
export type HashBits = readonly [number, number];

/** Parses 16 hexadecimal digits. */
export function hashBits(hash: string | undefined): HashBits | undefined {
  if (hash === undefined || !/^[0-9a-f]{16}$/i.test(hash)) return undefined;
  return [Number.parseInt(hash.slice(0, 8), 16), Number.parseInt(hash.slice(8), 16)];
}

/** Number of differing bits, 0 to 64. Unrelated pictures differ in about 32. */
export function hashDistance(one: HashBits, other: HashBits): number {
  return ones(one[0] ^ other[0]) + ones(one[1] ^ other[1]);
}

/** Counts bits in parallel (Warren, "Hacker's Delight", 2nd ed., §5–1). */
function ones(value: number): number {
  let bits = value - ((value >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/**
 * Returns 1 for up to `sameMax` differing bits, 0 from `otherMin` on, and a linear transition in between. Zauner
 * ("Implementation and Benchmarking of Perceptual Image Hash Functions", 2010, §5) found distances of different pictures
 * to be above 16 bits and of versions of one picture to be mostly below 10.
 */
export function sameness(
  distance: number,
  { sameMax, otherMin }: { sameMax: number; otherMin: number },
): number {
  return Math.min(1, Math.max(0, (otherMin - distance) / (otherMin - sameMax)));
}
