/** A name encoded for the filter: character classes, and the seeds among them. */
import {
  classBits,
  classBetweenDigits,
  classMask,
  classOfByte,
  separatorClass,
} from "./character-classes.ts";
import { seedMask } from "./filter-tables.ts";
import { textEdge } from "./match-with-errors.ts";
import { seedLength } from "./seeds.ts";

export const textLengthMax = 1024;
/** Index at which encoded names start, so that reading two places before them needs no bounds check. */
export const margin = 4;

/** Number of low bits in a seed hit that hold the place of the seed's last class; the seed's number is above. */
export const placeBits = 11;
export const placeMask = (1 << placeBits) - 1;

/** Number of bits below the kinds of patterns that may match at the place. */
export const kindsShift = placeBits + seedLength * classBits;

export interface EncodedName {
  /** Layout: edge, separator, character classes of the name, separator, edge; starts at `margin`. */
  classes: Uint8Array;
  /**
   * The first `hitCount` elements are seed hits: the place of the seed's last class, the seed's number and, once hits at
   * other places are dropped, kinds.
   */
  hits: Int32Array;
  hitCount: number;
  /** Place of the separator after the name. */
  end: number;
  /** Place in the name with separators, for each place in the name without them. Elsewhere, the place itself. */
  origins: Uint16Array;
  /** Bit sets of the classes before and after each place, once `addClassSets` has been called. */
  classesBefore: Int32Array;
  classesAfter: Int32Array;
}

export function newEncodedName(): EncodedName {
  const classes = new Uint8Array(textLengthMax + 2 * margin).fill(textEdge);
  classes[margin] = separatorClass;
  return {
    classes,
    hits: new Int32Array(textLengthMax + 2 * margin),
    hitCount: 0,
    end: margin + 1,
    origins: Uint16Array.from(classes, (_, place) => place),
    classesBefore: new Int32Array(textLengthMax + 2 * margin),
    classesAfter: new Int32Array(textLengthMax + 2 * margin),
  };
}

/** Encodes the bytes from `start` to before `end`. Returns the flags of all of them; see `classOfByte`. */
export function encodeName(
  bytes: Uint8Array,
  start: number,
  end: number,
  target: EncodedName,
  marks: Uint8Array,
): number {
  const { classes, hits } = target;
  let flags = 0;
  let seed = 0;
  let hitCount = 0;
  let place = margin + 1;
  for (let i = start; i < end; i++, place++) {
    const flagged = classOfByte[bytes[i]!]!;
    flags |= flagged;
    const value = flagged & classMask;
    classes[place] = value;
    seed = ((seed << classBits) | value) & seedMask;
    // Branch-free: always store the seed, and keep it by advancing the count if it is marked. Marked seeds come at
    // random, so the processor would often mispredict a branch.
    hits[hitCount] = (seed << placeBits) | place;
    hitCount += marks[seed]!;
  }
  endName(target, place, seed, hitCount, marks);
  return flags;
}

/** Copies a name without its separators, because attackers split brands by hyphens and dots. */
export function encodeWithoutSeparators(source: EncodedName, target: EncodedName, marks: Uint8Array): void {
  const { classes, hits, origins } = target;
  let seed = 0;
  let hitCount = 0;
  let place = margin + 1;
  for (let from = margin + 1; from < source.end; from++) {
    const value = source.classes[from]!;
    // Branch-free, too: 0 for a separator, which is overwritten and leaves the seed as it is, and else 1.
    const kept = -value >>> 31;
    classes[place] = value;
    origins[place] = from;
    seed = ((seed << (classBits * kept)) | value) & seedMask;
    hits[hitCount] = (seed << placeBits) | place;
    hitCount += marks[seed]! & kept;
    place += kept;
  }
  endName(target, place, seed, hitCount, marks);
}

/** Encodes a name with digits as separators, because attackers number brands. */
export function encodeBetweenDigits(
  bytes: Uint8Array,
  start: number,
  end: number,
  target: EncodedName,
  marks: Uint8Array,
): void {
  const { classes, hits } = target;
  let seed = 0;
  let hitCount = 0;
  let place = margin + 1;
  for (let i = start; i < end; i++, place++) {
    const value = classBetweenDigits[bytes[i]!]!;
    classes[place] = value;
    seed = ((seed << classBits) | value) & seedMask;
    hits[hitCount] = (seed << placeBits) | place;
    hitCount += marks[seed]!;
  }
  endName(target, place, seed, hitCount, marks);
}

/** Adds the separator after the name, with the seed that ends with it, and the edge. */
function endName(name: EncodedName, end: number, seed: number, hitCount: number, marks: Uint8Array): void {
  name.classes[end] = separatorClass;
  name.classes[end + 1] = textEdge;
  name.end = end;
  const last = (seed << classBits) & seedMask;
  name.hits[hitCount] = (last << placeBits) | end;
  name.hitCount = hitCount + marks[last]!;
}

/** Fills `classesBefore` and `classesAfter`. */
export function addClassSets({ classes, classesBefore, classesAfter, end }: EncodedName): void {
  let set = 0;
  for (let place = margin; place <= end; place++) {
    classesBefore[place] = set;
    set |= 1 << classes[place]!;
  }
  set = 0;
  for (let place = end; place >= margin; place--) {
    classesAfter[place] = set;
    set |= 1 << classes[place]!;
  }
}

/** Returns the distance from `place` to the next separator in either direction, or `max + 1` if it is more than `max`. */
export function distanceToSeparator(classes: Uint8Array, place: number, max: number): number {
  for (let distance = 0; distance <= max; distance++) {
    if (classes[place - distance] === separatorClass || classes[place + distance] === separatorClass)
      return distance;
  }
  return max + 1;
}
