import type { Instant } from "../../platform/lib/clock.ts";
import type { Yielder } from "../../platform/lib/yielder.ts";
import { indicatorBit } from "../threats/severity/indicators.ts";
import { similarityUnits, verifiedBit, type Columns } from "./columns/columns.ts";
import { hostFields } from "./columns/hosts.ts";
import { wantedKindsOf } from "./facets.ts";
import { withoutKinds, type SearchFilter, type SearchOrder, type Slice } from "./filter.ts";
import { isActiveKind, kindCount } from "./columns/kinds.ts";
import { timeAt } from "./arrays/numbers.ts";
import { writeRows, type RowSet } from "./arrays/row-set.ts";
import { selectRows } from "./selection/select-rows.ts";
import { dueKeyFrom, writeKeys } from "./columns/sort-keys.ts";
import { blockRows } from "./columns/column-summary.ts";

/** Maximum number of matches that are sorted by name; more are listed by first seen, newest first. */
export const sortedByNameMax = 10_000;

/** Rows that match, with the number of matches by kind when the filters by kind are ignored. */
export interface Matches {
  /** Ascending; only the first `count` are in use, and only until the next call with the same buffers. */
  rows: Int32Array;
  count: number;
  ofKind: Uint32Array;
}

/** Room for matching rows and their keys that searches share, since each is done before the next one begins. */
export type Buffers = ReturnType<typeof createBuffers>;

export function createBuffers() {
  return { rows: new Int32Array(0), keys: new Float64Array(0) };
}

interface MatchRowsOptions {
  columns: Columns;
  filter: SearchFilter;
  /** The number of `filter.protectedDomain`. */
  protectedDomainSeq: number | undefined;
  /** The number of `filter.assignee`, null for nobody; undefined if the filter names none, or there is no such account. */
  assigneeSeq?: number | null | undefined;
  /** 1 for each protected domain that `filter.within` names, by number; undefined: all. */
  domains?: Uint8Array | undefined;
  buffers: Buffers;
  /** Rows that meet the conditions of `resolvedConditions`; undefined: all. */
  among?: RowSet | undefined;
  /** Rows before this one are skipped. */
  firstRow?: number;
}

/** Checks all rows that may match, except blocks that the summary excludes by time. */
export function matchRows(options: MatchRowsOptions): Matches {
  const { columns, filter, protectedDomainSeq, assigneeSeq, domains, buffers, among, firstRow = 0 } = options;
  const ofKind = new Uint32Array(kindCount + 1);
  const { wantedAssignee, wantedCampaign } = numbersOf(columns, filter, assigneeSeq);
  if (
    (filter.protectedDomain !== undefined && protectedDomainSeq === undefined) ||
    wantedAssignee === undefined ||
    wantedCampaign === undefined
  )
    return { rows: new Int32Array(0), count: 0, ofKind };
  const wantedDomain = protectedDomainSeq ?? -1;
  const wantedKinds = wantedKindsOf(filter);
  const { from = -Infinity, before = Infinity, changedSince, minSimilarity = 0 } = filter;
  const isTimed = filter.from !== undefined || filter.before !== undefined;
  const lowestSimilarity = Math.round(minSimilarity * similarityUnits);
  const { checkedBits, wantedBits } = bitsOf(filter);
  const dueEnd = filter.overdueAt === undefined ? 0 : Math.ceil(filter.overdueAt / 1000);
  const { kindNumbers, protectedDomainSeqs, firstSeen, changedAt, similarities, indicators } = columns;
  const { assignees, campaigns, dueAt } = columns;
  // Most views have no other filter. They take a third of the time.
  const isOfKindOnly = domains === undefined && hasKindsOnly(filter);
  const total = columns.count;
  const rows = rowsFor(buffers, total);
  const amongBlock = new Int32Array(blockRows);
  let count = 0;
  for (let block = Math.floor(firstRow / blockRows); block * blockRows < total; block += 1) {
    if (!mayContainTimes(columns, block, from, before)) continue;
    if (dueEnd !== 0 && !mayBeDue(columns, block, dueEnd)) continue;
    const end = Math.min(total, (block + 1) * blockRows);
    const start = Math.max(firstRow, block * blockRows);
    const candidates = among === undefined ? end - start : writeRows(among, start, end, amongBlock);
    if (isOfKindOnly) {
      for (let index = 0; index < candidates; index += 1) {
        const row = among === undefined ? start + index : (amongBlock[index] ?? 0);
        const kind = kindNumbers[row] ?? 0;
        ofKind[kind]! += 1;
        if (wantedKinds[kind] === 1) rows[count++] = row;
      }
      continue;
    }
    for (let index = 0; index < candidates; index += 1) {
      const row = among === undefined ? start + index : (amongBlock[index] ?? 0);
      if (wantedDomain !== -1 && protectedDomainSeqs[row] !== wantedDomain) continue;
      if (domains !== undefined && domains[protectedDomainSeqs[row] ?? 0] !== 1) continue;
      if (wantedAssignee !== anyNumber && assignees[row] !== wantedAssignee) continue;
      if (wantedCampaign !== anyNumber && campaigns[row] !== wantedCampaign) continue;
      if ((similarities[row] ?? 0) < lowestSimilarity) continue;
      if (((indicators[row] ?? 0) & checkedBits) !== wantedBits) continue;
      if (isTimed) {
        const seen = timeAt(firstSeen, row);
        if (seen < from || seen >= before) continue;
      }
      if (changedSince !== undefined && timeAt(changedAt, row) < changedSince) continue;
      const kind = kindNumbers[row] ?? 0;
      if (dueEnd !== 0 && !isOverdue(dueAt[row] ?? 0, kind, dueEnd)) continue;
      ofKind[kind]! += 1;
      if (wantedKinds[kind] === 1) rows[count++] = row;
    }
  }
  return { rows, count, ofKind };
}

/** Conditions that are not checked row by row: the caller finds the rows that meet them (`among`). */
const resolvedConditions: ReadonlySet<string> = new Set<keyof SearchFilter>([
  "text",
  ...hostFields,
  "importSeq",
  "scanSeq",
]);

/** Returns whether all conditions are by kind, apart from `within` and the conditions that `among` covers. */
function hasKindsOnly(filter: SearchFilter): boolean {
  const { within: _, ...others } = withoutKinds(filter);
  return Object.entries(others).every(([name, value]) => value === undefined || resolvedConditions.has(name));
}

/** In place of the number that rows must have: they may have any. */
const anyNumber = -1;

/** Returns the numbers that the rows must have; undefined: no row has it. */
function numbersOf(
  columns: Columns,
  { assignee, campaignSeq }: SearchFilter,
  assigneeSeq: number | null | undefined,
): { wantedAssignee: number | undefined; wantedCampaign: number | undefined } {
  return {
    wantedAssignee:
      assignee === undefined
        ? anyNumber
        : assigneeSeq === undefined
          ? undefined
          : columns.assigneeNumbers.find(assigneeSeq),
    wantedCampaign: campaignSeq === undefined ? anyNumber : columns.campaignNumbers.find(campaignSeq),
  };
}

/** @param end only active threats that are due before this time are overdue; seconds */
function isOverdue(dueAt: number, kind: number, end: number): boolean {
  return dueAt !== 0 && dueAt < end && isActiveKind[kind] === 1;
}

/** Whether a threat of the block can be due before `end`, in seconds. */
function mayBeDue({ summary }: Columns, block: number, end: number): boolean {
  return (summary.lowerBounds("due")[block] ?? 0) < dueKeyFrom(end);
}

/** Returns the bits of a row's indicators that the filter checks, and which of them have to be set. */
function bitsOf({ indicator, verified }: SearchFilter): { checkedBits: number; wantedBits: number } {
  const indicatorBits = indicator === undefined ? 0 : indicatorBit(indicator);
  return {
    checkedBits: indicatorBits | (verified === undefined ? 0 : verifiedBit),
    wantedBits: indicatorBits | (verified === true ? verifiedBit : 0),
  };
}

function rowsFor(buffers: Buffers, count: number): Int32Array {
  if (buffers.rows.length < count) buffers.rows = new Int32Array(count + (count >> 2));
  return buffers.rows;
}

/** Returns the room for the keys of this number of rows. Most views sort few, so it is enlarged when it is needed. */
export function keysFor(buffers: Buffers, count: number): Float64Array {
  if (buffers.keys.length < count) buffers.keys = new Float64Array(count + (count >> 2));
  return buffers.keys;
}

/** Whether a threat of the block can have been first seen from `from` on and before `before`. */
export function mayContainTimes(
  { summary }: Columns,
  block: number,
  from: Instant,
  before: Instant,
): boolean {
  return (
    (summary.upperBounds("first_seen")[block] ?? 0) >= from &&
    (summary.lowerBounds("first_seen")[block] ?? 0) < before
  );
}

/** Matches, and the order in which they are wanted. */
export interface OrderedMatches {
  columns: Columns;
  matches: Matches;
  order: SearchOrder;
  /** The keys are overwritten. */
  buffers: Buffers;
}

/** Returns the rows of a slice of the matches, in order. */
export function sortedSlice({
  columns,
  matches: { rows, count },
  order: { key, descending },
  slice: { offset, limit },
  buffers,
}: OrderedMatches & { slice: Slice }): number[] {
  if (key === "name" && count <= sortedByNameMax) {
    const named = Array.from(rows.subarray(0, count), (row) => ({ row, name: columns.names.get(row) }));
    named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.row - b.row));
    if (descending) named.reverse();
    return named.slice(offset, offset + limit).map(({ row }) => row);
  }
  const keys = keysFor(buffers, count);
  writeKeys(columns, key === "name" ? "first_seen" : key, rows, count, keys);
  if (descending || key === "name") return selectRows({ rows, keys, count, offset, limit });
  const end = Math.min(count, offset + limit);
  // The same slice, counted from the other end.
  return selectRows({ rows, keys, count, offset: count - end, limit: Math.max(0, end - offset) }).reverse();
}

/**
 * Until the loops are compiled, they take ten times as long, a tenth of a second for a million rows. So they first run on a few
 * rows, with pauses.
 */
const warmUpRuns = 60;
const warmUpRows = 16_384;

/** Runs the loops of a search until they are compiled. */
export async function warmUp(all: Columns, buffers: Buffers, yielder: Yielder): Promise<void> {
  const columns = { ...all, count: Math.min(all.count, warmUpRows) };
  const order = { key: "severity", descending: true } as const;
  for (let run = 0; run < warmUpRuns; run += 1) {
    const matches = matchRows({ columns, filter: {}, protectedDomainSeq: undefined, buffers });
    sortedSlice({ columns, matches, order, slice: { offset: 0, limit: 1 }, buffers });
    await yielder.pause();
  }
}
