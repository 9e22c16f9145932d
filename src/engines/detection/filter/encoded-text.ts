/**
 * Names encoded for the filter, hundreds at a time, so that each step of the filter is one long loop over all of them. A
 * loop over one name ends after an unpredictable number of rounds, and each wrong prediction costs as much as several
 * rounds.
 */
import {
  classBetweenDigits,
  classBits,
  classMask,
  classOfByte,
  digitFlag,
  separatorClass,
  separatorFlag,
} from "./character-classes.ts";
import { seedMask, sideLength } from "./filter-tables.ts";
import { textEdge } from "./match-with-errors.ts";
import { seedLength } from "./seeds.ts";

/** Number of low bits in a seed hit that hold the place of the seed's last class; the seed's number is above. */
export const placeBits = 15;
export const placeMask = (1 << placeBits) - 1;
const placeCount = 1 << placeBits;

/** Number of bits below the kinds of patterns that may match at a seed hit. */
export const kindsShift = placeBits + seedLength * classBits;

/** Kinds of patterns: with the separators around them, and without. */
export const anchoredKind = 1;
const anywhereKind = 2;

export const textLengthMax = 1024;
/** Number of edges between two segments, so that reading beside a seed needs no bounds check. */
const gap = sideLength;
const namesMax = 512;
/** Names are encoded up to this place. Each of them may need as many places again in a second and a third segment. */
const plainPlacesMax = Math.floor(placeCount / 3) - textLengthMax - 2 * gap;

/** Names as ranges of bytes: `bytes[starts[i]..ends[i])`. */
export interface NameRanges {
  bytes: Uint8Array;
  starts: Int32Array;
  ends: Int32Array;
}

/** Indices of names: the first `count` of `names`. */
interface NameList {
  readonly names: Int32Array;
  count: number;
}

/**
 * Segments between edges. A segment consists of a separator, the character classes of a name and a separator. Each name has
 * one, in order. After them come the segments of names without their separators, and those with digits as separators.
 */
export type EncodedText = ReturnType<typeof newEncodedText>;

export function newEncodedText() {
  const newList = (): NameList => ({ names: new Int32Array(namesMax + 1), count: 0 });
  return {
    classes: new Uint8Array(placeCount).fill(textEdge),
    /** Number of places in use. */
    length: gap,
    nameCount: 0,
    segmentCount: 0,
    /** Index of the name in each segment. */
    segmentNames: new Int32Array(3 * namesMax),
    /** Places of the separators before and after each segment's name, and the kinds of patterns to search for; see `startOf`. */
    segmentBounds: new Int32Array(3 * namesMax),
    /** The first `hitCount` elements are seed hits: the place of the seed's last class, and the seed's number. */
    hits: new Int32Array(placeCount + 1),
    hitCount: 0,
    /** Number of segments that start after the hit before and before this one. */
    segmentSteps: new Uint16Array(placeCount + 1),
    /** Place in a name's first segment for each place in its segment without separators. */
    origins: new Uint16Array(placeCount),
    /** Distance from each name's first segment to the one with digits as separators, or 0 if it has no digits. */
    numberedShifts: new Int32Array(namesMax),
    /** Flags of all bytes of each name; see `classOfByte`. */
    flags: new Uint16Array(namesMax),
    /** Names with separators. */
    split: newList(),
    /** Names with digits. */
    numbered: newList(),
  };
}

const endShift = 2;
const startShift = endShift + placeBits;

/** Returns the kinds of patterns to search for, one bit for each kind. */
export function kindsOf(bounds: number): number {
  return bounds & (anchoredKind | anywhereKind);
}

/** Returns the place of the separator before the name. */
export function startOf(bounds: number): number {
  return bounds >>> startShift;
}

/** Returns the place of the separator after the name. */
export function endOf(bounds: number): number {
  return (bounds >>> endShift) & placeMask;
}

/**
 * Replaces the text by names from index `from` to before `to`: at least one, and as many as there is room for. `marks` are
 * the seeds to search for.
 */
export function encodeNames(
  text: EncodedText,
  { bytes, starts, ends }: NameRanges,
  from: number,
  to: number,
  marks: Uint8Array,
): void {
  clear(text);
  const { classes, hits, flags, split, numbered } = text;
  const count = Math.min(to - from, namesMax);
  let name = 0;
  for (; name < count && text.length < plainPlacesMax; name++) {
    const end = ends[from + name] ?? 0;
    let place = startSegment(text, name);
    let { hitCount } = text;
    let seed = 0;
    let nameFlags = 0;
    for (let i = starts[from + name] ?? 0; i < end; i++, place++) {
      const flagged = classOfByte[bytes[i] ?? 0] ?? 0;
      nameFlags |= flagged;
      const value = flagged & classMask;
      classes[place] = value;
      seed = ((seed << classBits) | value) & seedMask;
      // Branch-free: always store the seed, and keep it by advancing the count if it is marked. Marked seeds come at
      // random, so the processor would often mispredict a branch.
      hits[hitCount] = (seed << placeBits) | place;
      hitCount += marks[seed] ?? 0;
    }
    flags[name] = nameFlags;
    const isSplit = (nameFlags & separatorFlag) / separatorFlag;
    addIf(isSplit, split, name);
    addIf((nameFlags & digitFlag) / digitFlag, numbered, name);
    text.numberedShifts[name] = 0;
    // Unanchored patterns are compared with the name without separators.
    endSegment(text, place, anchoredKind + (1 - isSplit) * anywhereKind, seed, hitCount, marks);
  }
  text.nameCount = name;
}

/** Adds segments of names without their separators, because attackers split brands by hyphens and dots. */
export function encodeWithoutSeparators(text: EncodedText, marks: Uint8Array): void {
  const { classes, hits, origins, segmentBounds, split } = text;
  for (let at = 0; at < split.count; at++) {
    const name = split.names[at] ?? 0;
    const end = endOf(segmentBounds[name] ?? 0);
    let place = startSegment(text, name);
    let { hitCount } = text;
    let seed = 0;
    for (let from = startOf(segmentBounds[name] ?? 0) + 1; from < end; from++) {
      const value = classes[from] ?? 0;
      // Branch-free, too: 0 for a separator, which is overwritten and leaves the seed as it is, and else 1.
      const kept = -value >>> 31;
      classes[place] = value;
      origins[place] = from;
      seed = ((seed << (classBits * kept)) | value) & seedMask;
      hits[hitCount] = (seed << placeBits) | place;
      hitCount += (marks[seed] ?? 0) & kept;
      place += kept;
    }
    endSegment(text, place, anywhereKind, seed, hitCount, marks);
  }
}

/** Adds segments of names with digits as separators, because attackers number brands. Takes the arguments of `encodeNames`. */
export function encodeBetweenDigits(
  text: EncodedText,
  { bytes, starts, ends }: NameRanges,
  from: number,
  marks: Uint8Array,
): void {
  const { classes, hits, segmentBounds, numbered } = text;
  for (let at = 0; at < numbered.count; at++) {
    const name = numbered.names[at] ?? 0;
    const end = ends[from + name] ?? 0;
    text.numberedShifts[name] = text.length - startOf(segmentBounds[name] ?? 0);
    let place = startSegment(text, name);
    let { hitCount } = text;
    let seed = 0;
    for (let i = starts[from + name] ?? 0; i < end; i++, place++) {
      const value = classBetweenDigits[bytes[i] ?? 0] ?? 0;
      classes[place] = value;
      seed = ((seed << classBits) | value) & seedMask;
      hits[hitCount] = (seed << placeBits) | place;
      hitCount += marks[seed] ?? 0;
    }
    endSegment(text, place, anchoredKind, seed, hitCount, marks);
  }
}

function clear(text: EncodedText): void {
  text.classes.fill(textEdge, 0, text.length);
  text.segmentSteps.fill(0, 0, text.hitCount + 1);
  text.length = gap;
  text.segmentCount = 0;
  text.hitCount = 0;
  text.split.count = 0;
  text.numbered.count = 0;
}

/** Writes the first separator of a segment, and returns the place after it. */
function startSegment(text: EncodedText, name: number): number {
  text.segmentSteps[text.hitCount]!++;
  text.segmentNames[text.segmentCount] = name;
  text.classes[text.length] = separatorClass;
  return text.length + 1;
}

/** Writes the last separator of a segment, with the seed that ends with it. */
function endSegment(
  text: EncodedText,
  end: number,
  kinds: number,
  seed: number,
  hitCount: number,
  marks: Uint8Array,
): void {
  const last = (seed << classBits) & seedMask;
  text.classes[end] = separatorClass;
  text.hits[hitCount] = (last << placeBits) | end;
  text.hitCount = hitCount + (marks[last] ?? 0);
  text.segmentBounds[text.segmentCount++] = (text.length << startShift) | (end << endShift) | kinds;
  text.length = end + 1 + gap;
}

/** Adds the name if `condition` is 1, without a branch. */
function addIf(condition: number, list: NameList, name: number): void {
  list.names[list.count] = name;
  list.count += condition;
}
