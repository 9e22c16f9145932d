import { createDayCounts } from "./day-counts.ts";
import { createDecisionCache } from "./decision-cache.ts";
import { kindCount } from "./kinds.ts";
import { numberKeys, type NumberKey } from "./sort-keys.ts";

/** Rows per block; the last block may have fewer. */
export const blockRows = 4_096;

/**
 * Aggregates over all rows that are updated with each row: the number of rows of each kind, and the minimum and
 * maximum of each sort key, and of the times of decisions, in each block of rows. Most views need only these and a few blocks.
 */
export type ColumnSummary = ReturnType<typeof createColumnSummary>;

/**
 * `decided`: the time of the first decision; rows without one have no part in the bounds.
 * `campaign`: the number of the campaign (`Columns.campaigns`).
 */
type BoundedKey = NumberKey | "decided" | "campaign";

const initialBlocks = 16;
const bitCount = 8;

export function createColumnSummary() {
  const none = new Map<number, number>();
  const all = new Uint32Array(kindCount + 1);
  // There can be thousands of each, and the rows of one are of few kinds.
  const byDomain = new Map<number, Map<number, number>>();
  const byAssignee = new Map<number, Map<number, number>>();
  const byBit = Array.from({ length: bitCount }, () => new Uint32Array(kindCount + 1));
  const newBounds = () => ({
    upper: new Float64Array(initialBlocks).fill(-Infinity),
    lower: new Float64Array(initialBlocks).fill(Infinity),
  });
  const bounds = Object.fromEntries(
    [...numberKeys, "decided", "campaign"].map((key) => [key, newBounds()]),
  ) as Record<BoundedKey, ReturnType<typeof newBounds>>;

  return {
    days: createDayCounts(),
    decisions: createDecisionCache(),

    /** Records that there are more rows of this kind and protected domain, or fewer. */
    count({ protectedDomainSeq, kind }: { protectedDomainSeq: number; kind: number }, by: number) {
      countIn(byDomain, protectedDomainSeq, kind, by);
      all[kind]! += by;
    },

    /** Records that there are more rows of this kind that have these bits of `Columns.indicators`, or fewer. */
    countBits({ bits, kind }: { bits: number; kind: number }, by: number) {
      for (let index = 0; bits >> index !== 0; index += 1)
        if (((bits >> index) & 1) === 1) byBit[index]![kind]! += by;
    },

    /** Records that there are more rows of this kind and assignee (`Columns.assignees`), or fewer. */
    countAssignee: ({ assignee, kind }: { assignee: number; kind: number }, by: number) =>
      countIn(byAssignee, assignee, kind, by),

    /** Returns the number of rows by kind. */
    ofKind: (): Uint32Array => all,

    /** Returns the number of rows of a protected domain by kind; kinds without any are left out. */
    ofDomain: (protectedDomainSeq: number): ReadonlyMap<number, number> =>
      byDomain.get(protectedDomainSeq) ?? none,

    /** Returns the number of rows of an assignee (`Columns.assignees`) by kind; kinds without any are left out. */
    ofAssignee: (assignee: number): ReadonlyMap<number, number> => byAssignee.get(assignee) ?? none,

    /** Returns the number of rows by kind that have a bit of `Columns.indicators`, of all protected domains. */
    ofKindWithBit: (bit: number): Uint32Array => byBit[Math.log2(bit)]!,

    /** Records the key of a row. Bounds are only ever widened, so they also hold for the keys that a row had before. */
    widen(row: number, key: BoundedKey, value: number) {
      const block = Math.floor(row / blockRows);
      const own = bounds[key];
      if (block >= own.upper.length) {
        own.upper = doubled(own.upper, -Infinity);
        own.lower = doubled(own.lower, Infinity);
      }
      if (value > (own.upper[block] ?? 0)) own.upper[block] = value;
      if (value < (own.lower[block] ?? 0)) own.lower[block] = value;
    },

    /** Upper bounds of the keys by block; a bound need not be reached. */
    upperBounds: (key: BoundedKey): Float64Array => bounds[key].upper,

    /** Lower bounds, likewise. */
    lowerBounds: (key: BoundedKey): Float64Array => bounds[key].lower,
  };
}

function countIn(groups: Map<number, Map<number, number>>, group: number, kind: number, by: number): void {
  let own = groups.get(group);
  if (own === undefined) groups.set(group, (own = new Map()));
  const total = (own.get(kind) ?? 0) + by;
  if (total === 0) own.delete(kind);
  else own.set(kind, total);
}

function doubled(values: Float64Array<ArrayBuffer>, filler: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(values.length * 2).fill(filler);
  larger.set(values);
  return larger;
}
