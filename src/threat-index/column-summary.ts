import { kindCount } from "./kinds.ts";
import { numberKeys, type NumberKey } from "./sort-keys.ts";
import { blockRows } from "./top-rows.ts";

/**
 * What is known of all rows without looking at each: how many there are of each kind, and between which bounds the
 * keys of each block of rows lie. Most views are answered from it and a few blocks.
 */
export interface ColumnSummary {
  /** A row became of this kind, or is no more. */
  count(protectedDomainSeq: number, kind: number, by: 1 | -1): void;
  /** By number of the kind. Undefined: of all protected domains. */
  ofKind(protectedDomainSeq: number | undefined): Uint32Array;
  /** A row has this key now. Bounds only ever widen, so that they hold whatever a row had before. */
  widen(row: number, key: NumberKey, value: number): void;
  greatest(key: NumberKey): Float64Array;
  least(key: NumberKey): Float64Array;
}

const firstBlocks = 16;

export function createColumnSummary(): ColumnSummary {
  const all = new Uint32Array(kindCount + 1);
  const ofDomain = new Map<number, Uint32Array>();
  const newBounds = () => ({
    greatest: new Float64Array(firstBlocks).fill(-Infinity),
    least: new Float64Array(firstBlocks).fill(Infinity),
  });
  const bounds = Object.fromEntries(numberKeys.map((key) => [key, newBounds()])) as Record<
    NumberKey,
    ReturnType<typeof newBounds>
  >;

  return {
    count(protectedDomainSeq, kind, by) {
      let own = ofDomain.get(protectedDomainSeq);
      if (own === undefined) ofDomain.set(protectedDomainSeq, (own = new Uint32Array(kindCount + 1)));
      own[kind]! += by;
      all[kind]! += by;
    },
    ofKind: (protectedDomainSeq) =>
      protectedDomainSeq === undefined
        ? all
        : (ofDomain.get(protectedDomainSeq) ?? new Uint32Array(kindCount + 1)),
    widen(row, key, value) {
      const block = Math.floor(row / blockRows);
      const own = bounds[key];
      if (block >= own.greatest.length) {
        own.greatest = doubled(own.greatest, -Infinity);
        own.least = doubled(own.least, Infinity);
      }
      if (value > own.greatest[block]!) own.greatest[block] = value;
      if (value < own.least[block]!) own.least[block] = value;
    },
    greatest: (key) => bounds[key].greatest,
    least: (key) => bounds[key].least,
  };
}

function doubled(values: Float64Array<ArrayBuffer>, filler: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(values.length * 2).fill(filler);
  larger.set(values);
  return larger;
}
