/** A name as the filter reads it: classes of characters, and the seeds among them. */
import { separatorClass } from "./character-classes.ts";
import { textEdge } from "./match-with-errors.ts";

export const textLengthMax = 1024;
/** Texts start here: looking two places before them needs no test. */
export const margin = 4;

/** One reading of a name; all of them are looked through with the same seeds. */
export interface Reading {
  /** From `margin` on a separator, the name's classes, a separator; edges around them. */
  classes: Uint8Array;
  /** The first `hitCount` are the seeds among them; see `filter.ts`. */
  hits: Int32Array;
  hitCount: number;
}

export function newReading(): Reading {
  const classes = new Uint8Array(textLengthMax + 2 * margin).fill(textEdge);
  classes[margin] = separatorClass;
  return { classes, hits: new Int32Array(textLengthMax + 2 * margin), hitCount: 0 };
}

/** How many places from `place` the next separator is, in either direction; `max + 1` where it is farther than `max`. */
export function distanceToSeparator(classes: Uint8Array, place: number, max: number): number {
  for (let distance = 0; distance <= max; distance++) {
    if (classes[place - distance] === separatorClass || classes[place + distance] === separatorClass)
      return distance;
  }
  return max + 1;
}
