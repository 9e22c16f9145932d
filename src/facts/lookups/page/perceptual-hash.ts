/** Side of the square of gray values from which a hash is computed. */
export const hashSide = 32;

const frequencies = 8;
const bits = frequencies * frequencies;
/** Standard deviation of gray values (0 to 255) below which an image is blank and cannot be compared. */
const featurelessBelow = 2;

/** Row u holds cos((2x + 1) u π / 2N): the DCT-II without its scale factor, which does not affect signs. */
const cosines = Array.from({ length: frequencies }, (_, u) =>
  Float64Array.from({ length: hashSide }, (_unused, x) =>
    Math.cos(((2 * x + 1) * u * Math.PI) / (2 * hashSide)),
  ),
);

/**
 * pHash: 64 bits as 16 hexadecimal digits. Each bit is set if one of the lowest 8 × 8 frequencies of the discrete cosine
 * transform is above their median. Small changes of an image change few bits. (Zauner, "Implementation and Benchmarking
 * of Perceptual Image Hash Functions", 2010, §3.2.1.)
 *
 * @param gray 32 × 32 gray values of 0 to 255, row by row.
 * @returns undefined for a blank image, because all blank pages are alike.
 */
export function perceptualHash(gray: ArrayLike<number>): string | undefined {
  if (gray.length !== hashSide * hashSide) throw new RangeError(`${gray.length} gray values`);
  if (deviation(gray) < featurelessBelow) return undefined;
  const coefficients = lowFrequencies(gray);
  // The constant term is the brightness, which would only shift the median.
  const median = coefficients.slice(1).sort((a, b) => a - b)[(bits - 1) >> 1] ?? 0;
  let hash = 0n;
  for (const coefficient of coefficients) hash = (hash << 1n) | (coefficient > median ? 1n : 0n);
  return hash.toString(16).padStart(bits / 4, "0");
}

/**
 * Returns the similarity of two images: 1 for equal hashes, 0 for 32 or more differing bits, which is the distance of
 * unrelated images.
 */
export function visualSimilarity(one: string, other: string): number {
  let difference = BigInt(`0x${one}`) ^ BigInt(`0x${other}`);
  let differing = 0;
  for (; difference > 0n; difference &= difference - 1n) differing++;
  return Math.max(0, 1 - differing / (bits / 2));
}

function lowFrequencies(gray: ArrayLike<number>): Float64Array {
  const columns = new Float64Array(frequencies * hashSide);
  for (let y = 0; y < hashSide; y++)
    for (let u = 0; u < frequencies; u++) {
      let sum = 0;
      for (let x = 0; x < hashSide; x++) sum += gray[y * hashSide + x]! * cosines[u]![x]!;
      columns[u * hashSide + y] = sum;
    }
  const result = new Float64Array(bits);
  for (let v = 0; v < frequencies; v++)
    for (let u = 0; u < frequencies; u++) {
      let sum = 0;
      for (let y = 0; y < hashSide; y++) sum += columns[u * hashSide + y]! * cosines[v]![y]!;
      result[v * frequencies + u] = sum;
    }
  return result;
}

function deviation(gray: ArrayLike<number>): number {
  const values = Array.from(gray);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}
