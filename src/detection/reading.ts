/** A name as the filter reads it: classes of characters, and the seeds among them. */
import { separatorClass } from "./classes.ts";
import { textEdge } from "./reaches.ts";

export const textLengthMax = 1024;
/** Texts start here: looking two places before them needs no test. */
export const margin = 4;
const hyphen = 0x2d;

/** One reading of a name; all of them are looked through with the same seeds. */
export interface Reading {
  /** From `margin` on a separator, the name's classes, a separator; edges around them. */
  classes: Uint8Array;
  /** Pairs: the number of a seed, and the place of its last class. */
  hits: Int32Array;
  hitCount: number;
}

export function newReading(): Reading {
  const classes = new Uint8Array(textLengthMax + 2 * margin).fill(textEdge);
  classes[margin] = separatorClass;
  return { classes, hits: new Int32Array(2 * textLengthMax + 4), hitCount: 0 };
}

/** Positions before the text's start are edges, not separators. */
export function hasSeparator(classes: Uint8Array, from: number, to: number): boolean {
  for (let place = Math.max(margin, from); place <= to; place++) {
    if (classes[place] === separatorClass) return true;
    if (classes[place] === textEdge) return false;
  }
  return false;
}

/** Looks for `xn--`: such names have to be decoded before anything can be said. */
export function containsALabel(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i + 4 <= end; i++) {
    if (bytes[i + 2] !== hyphen || bytes[i + 3] !== hyphen) continue;
    if ((bytes[i]! | 0x20) === 0x78 && (bytes[i + 1]! | 0x20) === 0x6e) return true;
  }
  return false;
}
