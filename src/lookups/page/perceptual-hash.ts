/** Side of the square of grey values that a hash is made of. */
export const hashSide = 32;

const frequencies = 8;
const bits = frequencies * frequencies;
/** Standard deviation of grey values, of 255, below which a picture shows nothing to compare. */
const featurelessBelow = 2;

/** Of row u, the values cos((2x + 1) u π / 2N): the DCT-II without its scale, which signs do not depend on. */
const cosines = Array.from({ length: frequencies }, (_, u) =>
  Float64Array.from({ length: hashSide }, (_unused, x) =>
    Math.cos(((2 * x + 1) * u * Math.PI) / (2 * hashSide)),
  ),
);

/**
 * The perceptual hash of a picture: 64 bits as 16 hexadecimal digits, each telling whether one of the lowest
 * 8 × 8 frequencies of the discrete cosine transform is above their median. Small changes of a picture change
 * few bits. (Zauner, "Implementation and Benchmarking of Perceptual Image Hash Functions", 2010, §3.2.1.)
 *
 * @param grey 32 × 32 grey values of 0 to 255, row by row
 * @returns undefined for a picture that shows nothing: all blank pages are alike
 */
export function perceptualHash(grey: ArrayLike<number>): string | undefined {
  if (grey.length !== hashSide * hashSide) throw new RangeError(`${grey.length} grey values`);
  if (deviation(grey) < featurelessBelow) return undefined;
  const coefficients = lowFrequencies(grey);
  // The constant part is the brightness, which would only pull the median.
  const median = coefficients.slice(1).sort((a, b) => a - b)[(bits - 1) >> 1]!;
  let hash = 0n;
  for (const coefficient of coefficients) hash = (hash << 1n) | (coefficient > median ? 1n : 0n);
  return hash.toString(16).padStart(bits / 4, "0");
}

/**
 * How alike two pictures look: 1 for equal hashes, 0 from 32 differing bits on, which is what pictures that have
 * nothing in common differ by.
 */
export function visualSimilarity(one: string, other: string): number {
  let difference = BigInt(`0x${one}`) ^ BigInt(`0x${other}`);
  let differing = 0;
  for (; difference > 0n; difference &= difference - 1n) differing++;
  return Math.max(0, 1 - differing / (bits / 2));
}

function lowFrequencies(grey: ArrayLike<number>): Float64Array {
  const columns = new Float64Array(frequencies * hashSide);
  for (let y = 0; y < hashSide; y++)
    for (let u = 0; u < frequencies; u++) {
      let sum = 0;
      for (let x = 0; x < hashSide; x++) sum += grey[y * hashSide + x]! * cosines[u]![x]!;
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

function deviation(grey: ArrayLike<number>): number {
  const values = Array.from(grey);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}
