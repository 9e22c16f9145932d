import { blockRows } from "./columns/column-summary.ts";
import type { Columns } from "./columns/columns.ts";
import { kindCount } from "./columns/kinds.ts";
import { keyFunction } from "./columns/sort-keys.ts";
import { wantedKindsOf } from "./facets.ts";
import { isEmpty, withoutKinds, type SearchFilter, type SearchOrder, type Slice } from "./filter.ts";
import { describeGroups, firstOfEach, type GroupedSlice } from "./groups.ts";
import { makeRoom, type Buffers, type Matches } from "./match-rows.ts";

/** Views that end later than this are computed from all matches. */
const topRowsMax = 1_000;

/** A view that is filtered by nothing but kind and protected domain, whose counts are in the summary. */
interface KindView {
  count: number;
  ofKind: Uint32Array;
  matches: (row: number) => boolean;
}

/** Returns undefined for a filter that needs a scan. */
function kindView(
  { kindNumbers, protectedDomainSeqs, summary }: Columns,
  filter: SearchFilter,
  protectedDomainSeq: number | undefined,
): KindView | undefined {
  const { protectedDomain, ...scanned } = withoutKinds(filter);
  if (!isEmpty(scanned)) return undefined;
  // No protected domain has the number 0: a domain without a number has no threats.
  const wantedDomain = protectedDomain === undefined ? undefined : (protectedDomainSeq ?? 0);
  const ofKind = wantedDomain === undefined ? summary.ofKind() : dense(summary.ofDomain(wantedDomain));
  const wantedKinds = wantedKindsOf(filter);
  let count = 0;
  for (let kind = 0; kind < kindCount; kind += 1) count += wantedKinds[kind] === 1 ? ofKind[kind]! : 0;
  const matches =
    wantedDomain === undefined
      ? (row: number) => wantedKinds[kindNumbers[row]!] === 1
      : (row: number) => protectedDomainSeqs[row] === wantedDomain && wantedKinds[kindNumbers[row]!] === 1;
  return { count, ofKind, matches };
}

interface TopOptions {
  columns: Columns;
  filter: SearchFilter;
  protectedDomainSeq: number | undefined;
  order: SearchOrder;
  slice: Slice;
}

/**
 * Returns the same as `matchRows` and `sortedSlice` for a slice near the top of a view: its rows are in a few blocks.
 * Returns undefined for other views.
 */
export function topSlice(
  options: TopOptions,
): (Pick<Matches, "count" | "ofKind"> & { rows: number[] }) | undefined {
  const view = topView(options);
  return view && { rows: view.rowsThat(view.matches), count: view.count, ofKind: view.ofKind };
}

/** Returns undefined for a view that has to be computed from all matches. */
function topView({
  columns,
  filter,
  protectedDomainSeq,
  order: { key, descending },
  slice: { offset, limit },
}: TopOptions) {
  const end = offset + limit;
  if (end > topRowsMax || key === "name") return undefined;
  const view = kindView(columns, filter, protectedDomainSeq);
  if (view === undefined) return undefined;
  const { count, summary } = columns;
  const bounds = descending ? summary.upperBounds(key) : summary.lowerBounds(key);
  const keyOf = keyFunction(columns, key);
  /** Returns the rows of the slice of those that match. */
  const rowsThat = (matches: (row: number) => boolean) =>
    topRows({ count, bounds, matches, keyOf, limit: end, ascending: !descending }).slice(offset);
  return { ...view, rowsThat };
}

function dense(ofKind: ReadonlyMap<number, number>): Uint32Array {
  const counts = new Uint32Array(kindCount + 1);
  for (const [kind, total] of ofKind) counts[kind] = total;
  return counts;
}

/**
 * Returns the same as `matchRows` and `groupedSlice` for a slice near the top of a view, without visiting all matches:
 * campaigns have a limited number of threats, and all other groups consist of one. Returns undefined for other views.
 * @param buffers the rows and the keys are overwritten
 */
export function topGroups({
  buffers,
  ...options
}: TopOptions & { buffers: Buffers }):
  { slice: GroupedSlice; matches: Pick<Matches, "count" | "ofKind"> } | undefined {
  const view = topView(options);
  if (view === undefined) return undefined;
  const { columns, order } = options;
  const { campaigns, campaignNumbers } = columns;
  const { count, ofKind } = view;
  const inCampaigns = { ...matchesInCampaigns(columns, view, buffers), ofKind };
  const { firsts, campaignTotal } = firstOfEach(columns, inCampaigns, order, buffers);
  const firstOf = new Int32Array(campaignNumbers.count());
  for (const row of firsts) firstOf[campaigns[row]!] = row;
  const isFirst = (row: number) => campaigns[row] === 0 || firstOf[campaigns[row]!] === row;
  const rows = view.rowsThat((row) => view.matches(row) && isFirst(row));
  const groups = describeGroups(columns, inCampaigns, rows);
  const groupTotal = count - inCampaigns.count + firsts.length;
  return { slice: { rows: groups, groupTotal, campaignTotal }, matches: { count, ofKind } };
}

/** Returns the matches that are in a campaign. */
function matchesInCampaigns(
  columns: Columns,
  { matches }: KindView,
  buffers: Buffers,
): Pick<Matches, "rows" | "count"> {
  makeRoom(buffers, columns.count);
  const { campaigns, count: total } = columns;
  const { rows } = buffers;
  let count = 0;
  for (let row = 0; row < total; row += 1) if (campaigns[row] !== 0 && matches(row)) rows[count++] = row;
  return { rows, count };
}

/**
 * Returns the first `limit` matching rows in descending order of their keys, equal keys by descending row; with
 * `ascending`, the reverse order. Visits blocks in the order of their bounds and stops at the first that cannot
 * contribute: for most orders that is a few of hundreds.
 *
 * @param bounds by block: no key in it is greater (with `ascending`: smaller). A bound need not be reached.
 */
export function topRows({
  count,
  bounds,
  matches,
  keyOf,
  limit,
  ascending,
}: {
  /** Number of rows. */
  count: number;
  bounds: Float64Array;
  matches: (row: number) => boolean;
  keyOf: (row: number) => number;
  limit: number;
  ascending: boolean;
}): number[] {
  if (limit <= 0) return [];
  const direction = ascending ? -1 : 1;
  const blocks = Array.from({ length: Math.ceil(count / blockRows) }, (_, block) => block);
  blocks.sort((a, b) => direction * (bounds[b]! - bounds[a]! || b - a));
  let best: { row: number; key: number }[] = [];
  /** The last of the best: a row that comes after it in the order does not count. */
  let last = { row: -1, key: -Infinity };
  for (const block of blocks) {
    const bound = direction * bounds[block]!;
    if (bound < last.key) break;
    const start = block * blockRows;
    const end = Math.min(count, start + blockRows);
    // Many keys can be equal, as those of threats that are never due.
    if (bound === last.key && (ascending ? start > last.row : end <= last.row)) continue;
    for (let row = start; row < end; row += 1) {
      if (!matches(row)) continue;
      const key = direction * keyOf(row);
      if (key >= last.key) best.push({ row, key });
    }
    if (best.length < limit) continue;
    best.sort((a, b) => b.key - a.key || direction * (b.row - a.row));
    best = best.slice(0, limit);
    last = best[limit - 1]!;
  }
  // If there are fewer than `limit`, they have not been sorted yet.
  return best.sort((a, b) => b.key - a.key || direction * (b.row - a.row)).map(({ row }) => row);
}
