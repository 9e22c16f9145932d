/** A name encoded for the filter: character classes, and the seeds among them. */
import { classBits, classOfByte, digitFlag, separatorClass } from "./character-classes.ts";
import { seedMask } from "./filter-tables.ts";
import { textEdge } from "./match-with-errors.ts";

export const textLengthMax = 1024;
/** Index at which encoded names start, so that reading two places before them needs no bounds check. */
export const margin = 4;

/** Number of low bits in a seed hit that hold the place of the seed's last class; the seed's number is above. */
export const placeBits = 11;
export const placeMask = (1 << placeBits) - 1;

export interface EncodedName {
  /** Layout: edge, separator, character classes of the name, separator, edge; starts at `margin`. */
  classes: Uint8Array;
  /** The first `hitCount` elements are seed hits: the number of a seed and the place of its last class. */
  hits: Int32Array;
  hitCount: number;
}

export function newEncodedName(): EncodedName {
  const classes = new Uint8Array(textLengthMax + 2 * margin).fill(textEdge);
  classes[margin] = separatorClass;
  return { classes, hits: new Int32Array(textLengthMax + 2 * margin), hitCount: 0 };
}

/** Copies a name without its separators, because attackers split brands by hyphens and dots. */
export function encodeWithoutSeparators(
  source: EncodedName,
  end: number,
  target: EncodedName,
  marks: Uint8Array,
): void {
  let seed = 0;
  let hitCount = 0;
  let place = margin + 1;
  for (let from = margin + 1; from < end; from++) {
    const value = source.classes[from]!;
    if (value === separatorClass) continue;
    target.classes[place] = value;
    seed = ((seed << classBits) | value) & seedMask;
    target.hits[hitCount] = (seed << placeBits) | place;
    hitCount += marks[seed]!;
    place++;
  }
  endName(target, place, addLastSeed(target, place, seed, hitCount, marks));
}

/** Encodes a name with digits as separators, because attackers number brands. */
export function encodeBetweenDigits(
  bytes: Uint8Array,
  start: number,
  end: number,
  target: EncodedName,
  marks: Uint8Array,
): void {
  let seed = 0;
  let hitCount = 0;
  for (let place = margin + 1; place < end; place++) {
    const flagged = classOfByte[bytes[start + place - margin - 1]!]!;
    const value = flagged >= digitFlag ? separatorClass : flagged;
    target.classes[place] = value;
    seed = ((seed << classBits) | value) & seedMask;
    target.hits[hitCount] = (seed << placeBits) | place;
    hitCount += marks[seed]!;
  }
  endName(target, end, addLastSeed(target, end, seed, hitCount, marks));
}

/** Adds the seed that ends with the separator at the end of the name, and returns the number of hits. */
export function addLastSeed(
  name: EncodedName,
  place: number,
  seed: number,
  hitCount: number,
  marks: Uint8Array,
): number {
  const last = (seed << classBits) & seedMask;
  name.hits[hitCount] = (last << placeBits) | place;
  return hitCount + marks[last]!;
}

/** Writes the separator and the edge after the name. */
export function endName(name: EncodedName, place: number, hitCount: number): void {
  name.classes[place] = separatorClass;
  name.classes[place + 1] = textEdge;
  name.hitCount = hitCount;
}

/** Returns the distance from `place` to the next separator in either direction, or `max + 1` if it is more than `max`. */
export function distanceToSeparator(classes: Uint8Array, place: number, max: number): number {
  for (let distance = 0; distance <= max; distance++) {
    if (classes[place - distance] === separatorClass || classes[place + distance] === separatorClass)
      return distance;
  }
  return max + 1;
}
