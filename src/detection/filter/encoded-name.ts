/** A name encoded for the filter: character classes, and the seeds among them. */
import { separatorClass } from "./character-classes.ts";
import { textEdge } from "./match-with-errors.ts";

export const textLengthMax = 1024;
/** Index at which encoded names start, so that reading two places before them needs no bounds check. */
export const margin = 4;

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

/** Returns the distance from `place` to the next separator in either direction, or `max + 1` if it is more than `max`. */
export function distanceToSeparator(classes: Uint8Array, place: number, max: number): number {
  for (let distance = 0; distance <= max; distance++) {
    if (classes[place - distance] === separatorClass || classes[place + distance] === separatorClass)
      return distance;
  }
  return max + 1;
}
