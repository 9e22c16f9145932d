/**
 * Punycode (RFC 3492, section 6): decodes one label without its `xn--`. The platform's functions reject
 * a whole name for one label that IDNA2008 forbids. Attackers use such names, so this decoder rejects only labels
 * that cannot be decoded at all.
 */

const base = 36;
const tMin = 1;
const tMax = 26;
const skew = 38;
const damp = 700;
const initialBias = 72;
const initialCodePoint = 0x80;
const lastCodePoint = 0x10ffff;
const hyphen = 0x2d;

/** Decodes Punycode. Returns undefined if `encoded` is malformed. */
export function decodePunycode(encoded: string): string | undefined {
  const units = new Uint16Array(encoded.length);
  for (let i = 0; i < units.length; i++) units[i] = encoded.charCodeAt(i);
  const points = new Int32Array(units.length);
  const count = decodeInto(points, units, 0, units.length);
  if (count < 0) return undefined;
  let decoded = "";
  for (let i = 0; i < count; i++) decoded += String.fromCodePoint(points[i] ?? 0);
  return decoded;
}

/**
 * Decodes `units` from `start` to before `end` without creating a string. Writes the code points, at most as many as
 * there are units, to `points`, and returns their number, or -1 if the units are malformed.
 */
export function decodeInto(
  points: Int32Array,
  units: Uint8Array | Uint16Array,
  start: number,
  end: number,
): number {
  let delimiter = end - 1;
  while (delimiter >= start && units[delimiter] !== hyphen) delimiter--;
  let count = 0;
  for (let i = start; i < delimiter; i++) {
    if ((units[i] ?? 0) >= initialCodePoint) return -1;
    points[count++] = units[i] ?? 0;
  }
  let codePoint = initialCodePoint;
  let bias = initialBias;
  let insertAt = 0;
  for (let next = Math.max(delimiter + 1, start); next < end;) {
    const before = insertAt;
    for (let weight = 1, k = base; ; k += base) {
      const digit = next < end ? digitOf(units[next++] ?? 0) : -1;
      if (digit < 0) return -1;
      insertAt += digit * weight;
      const threshold = Math.min(Math.max(k - bias, tMin), tMax);
      if (digit < threshold) break;
      weight *= base - threshold;
      if (weight > 2 ** 31) return -1;
    }
    const length = count + 1;
    bias = adapt(insertAt - before, length, before === 0);
    codePoint += Math.floor(insertAt / length);
    insertAt %= length;
    if (codePoint > lastCodePoint || (codePoint >= 0xd800 && codePoint <= 0xdfff)) return -1;
    points.copyWithin(insertAt + 1, insertAt, count);
    points[insertAt++] = codePoint;
    count++;
  }
  return count;
}

function adapt(delta: number, length: number, first: boolean): number {
  let rest = first ? Math.floor(delta / damp) : delta >> 1;
  rest += Math.floor(rest / length);
  let k = 0;
  for (; rest > ((base - tMin) * tMax) >> 1; k += base) rest = Math.floor(rest / (base - tMin));
  return k + Math.floor(((base - tMin + 1) * rest) / (rest + skew));
}

function digitOf(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30 + 26;
  if (unit >= 0x61 && unit <= 0x7a) return unit - 0x61;
  if (unit >= 0x41 && unit <= 0x5a) return unit - 0x41;
  return -1;
}
