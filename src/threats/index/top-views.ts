import { blockRows } from "./columns/column-summary.ts";
import type { Columns } from "./columns/columns.ts";
import { kindCount } from "./columns/kinds.ts";
import { enlarged } from "./arrays/numbers.ts";
import { keyFunction } from "./columns/sort-keys.ts";
import { wantedKindsOf } from "./facets.ts";
import { isEmpty, withoutKinds, type SearchFilter, type SearchOrder, type Slice } from "./filter.ts";
import { describeGroups, firstOfEach, type GroupedSlice } from "./groups.ts";
import type { Buffers, Matches } from "./match-rows.ts";
import { topRows } from "./selection/top-rows.ts";

/** Views that end later than this are computed from all matches. */
const topRowsMax = 1_000;

/** Up to this number, sorting all matches takes less time than finding the blocks of the first ones. */
const sortedMax = blockRows;

/** A view whose first rows are found without visiting all matches. */
interface TopView extends Pick<Matches, "count" | "ofKind"> {
  /** Returns the matches from one row up to another, ascending; they are valid until the next call. */
  matchesIn: (from: number, end: number) => Int32Array;
}

/** Returns whether a slice is near the top of a view in an order for which the blocks have bounds. */
export function isNearTop({ key }: SearchOrder, { offset, limit }: Slice): boolean {
  return offset + limit <= topRowsMax && key !== "name";
}

/**
 * Returns a view that is filtered by nothing but kind and protected domain, whose counts are in the summary; undefined
 * for a filter that needs a scan.
 */
export function kindView(
  { kindNumbers, protectedDomainSeqs, summary }: Columns,
  filter: SearchFilter,
  protectedDomainSeq: number | undefined,
): TopView | undefined {
  const { protectedDomain, ...scanned } = withoutKinds(filter);
  if (!isEmpty(scanned)) return undefined;
  // No protected domain has the number 0: a domain without a number has no threats.
  const wantedDomain = protectedDomain === undefined ? undefined : (protectedDomainSeq ?? 0);
  const ofKind = wantedDomain === undefined ? summary.ofKind() : dense(summary.ofDomain(wantedDomain));
  const wantedKinds = wantedKindsOf(filter);
  let count = 0;
  for (let kind = 0; kind < kindCount; kind += 1) count += wantedKinds[kind] === 1 ? (ofKind[kind] ?? 0) : 0;
  const rows = new Int32Array(blockRows);

  function matchesIn(from: number, end: number): Int32Array {
    let found = 0;
    for (let row = from; row < end; row += 1) {
      if (wantedDomain !== undefined && protectedDomainSeqs[row] !== wantedDomain) continue;
      if (wantedKinds[kindNumbers[row] ?? 0] === 1) rows[found++] = row;
    }
    return rows.subarray(0, found);
  }
  return { count, ofKind, matchesIn };
}

function dense(ofKind: ReadonlyMap<number, number>): Uint32Array {
  const counts = new Uint32Array(kindCount + 1);
  for (const [kind, total] of ofKind) counts[kind] = total;
  return counts;
}

/** Returns the view of matches that are known; undefined for few, which are sorted faster. */
export function matchedView({ rows, count, ofKind }: Matches): TopView | undefined {
  if (count <= sortedMax) return undefined;
  const matchesIn = (from: number, end: number) =>
    rows.subarray(firstFrom(rows, count, from), firstFrom(rows, count, end));
  return { count, ofKind, matchesIn };
}

/** Returns the index of the first of the rows, which ascend, that is not before `wanted`. */
function firstFrom(rows: Int32Array, count: number, wanted: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface TopOptions {
  columns: Columns;
  view: TopView;
  /** Near the top (`isNearTop`), as is the slice. */
  order: SearchOrder;
  slice: Slice;
}

/** Returns the same as `sortedSlice` for a slice near the top of a view: its rows are in a few blocks. */
export function topSlice({
  columns,
  view: { matchesIn },
  order: { key, descending },
  slice: { offset, limit },
}: TopOptions): number[] {
  if (key === "name") throw new RangeError("blocks have no bounds of names");
  const { count, summary } = columns;
  const bounds = descending ? summary.upperBounds(key) : summary.lowerBounds(key);
  const keyOf = keyFunction(columns, key);
  const end = offset + limit;
  return topRows({ count, bounds, matchesIn, keyOf, limit: end, ascending: !descending }).slice(offset);
}

/**
 * Returns the same as `groupedSlice` for a slice near the top of a view, without sorting all matches: campaigns have a
 * limited number of threats, and all other groups consist of one.
 * @param buffers the keys are overwritten
 */
export function topGroups(options: TopOptions & { buffers: Buffers }): GroupedSlice {
  const { columns, view, order, slice, buffers } = options;
  const { campaigns, campaignNumbers } = columns;
  const inCampaigns = matchesInCampaigns(columns, view);
  const { firsts, campaignTotal } = firstOfEach({ columns, matches: inCampaigns, order, buffers });
  const firstOf = new Int32Array(campaignNumbers.count());
  for (const row of firsts) firstOf[campaigns[row] ?? 0] = row;
  const isFirst = (row: number) => campaigns[row] === 0 || firstOf[campaigns[row] ?? 0] === row;
  const matchesIn = (from: number, end: number) => view.matchesIn(from, end).filter(isFirst);
  const rows = topSlice({ columns, view: { ...view, matchesIn }, order, slice });
  const groupTotal = view.count - inCampaigns.count + firsts.length;
  return { rows: describeGroups(columns, inCampaigns, rows), groupTotal, campaignTotal };
}

/** Returns the matches that are in a campaign. */
function matchesInCampaigns(
  { campaigns, count: total, summary }: Columns,
  { matchesIn, ofKind }: TopView,
): Matches {
  const highest = summary.upperBounds("campaign");
  let rows = new Int32Array(blockRows);
  let count = 0;
  for (let block = 0; block * blockRows < total; block += 1) {
    if (!((highest[block] ?? 0) > 0)) continue;
    const matches = matchesIn(block * blockRows, Math.min(total, (block + 1) * blockRows));
    if (count + matches.length > rows.length) rows = enlarged(rows, (count + matches.length) * 2);
    for (let index = 0; index < matches.length; index += 1) {
      const row = matches[index] ?? 0;
      if (campaigns[row] !== 0) rows[count++] = row;
    }
  }
  return { rows, count, ofKind };
}
