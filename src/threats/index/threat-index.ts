/**
 * The threat index: an in-memory column store behind the console's list of threats.
 *
 * Every field that threats are filtered or sorted by is a typed array, indexed by a row number that grows with
 * `seq`. A search checks all rows once, or those that have a text, host, import or scan (`arrays/row-set.ts`), which
 * gives the exact total, the number of matches for each choice of each filter, and the matching rows; the requested page is
 * then selected without sorting the rest (`selection/`). Names are in buffers of thousands (`columns/name-text.ts`). The
 * summary (`columns/column-summary.ts`) holds counts by kind, and the bounds of the sort keys per block of rows, so that a
 * view without other filters checks only some of the blocks (`top-views.ts`), as does a range of time; and the overview's
 * counts, from when it is first shown. Only the rows of the page are then read from SQLite.
 *
 * Memory: about 60 bytes per threat, half of them for its name. Time for n threats: O(n)
 * for a search, a few milliseconds for a million; O(1) in n for the first pages of an unfiltered view. The first search reads
 * all threats, about three seconds for a million, in slices that let requests through, unless there is a copy from before
 * the start (`store/column-file.ts`); a later one reads what has changed since (`store/column-store.ts`).
 *
 * The API's list has few filters, each combination of which has its index, and needs nothing in memory (decision 0004).
 *
 * `naive.ts` next to the tests does the same in a few lines; tests compare the two on random input.
 */
import type { Needs } from "../../platform/database/needs.ts";
import type { Foreground } from "../../platform/lib/yielder.ts";
import { createColumnStore, type ColumnCopy } from "./store/column-store.ts";
import type { Columns } from "./columns/columns.ts";
import {
  createAssigneeSeqs,
  createDomainSeqs,
  createLoader,
  createRowLookup,
  type FoundThreat,
} from "./database-lookups.ts";
import { facetsOf, type Facets } from "./facets.ts";
import type { SearchFilter, SearchOrder, Slice } from "./filter.ts";
import { positionOfGroup, withThreats, type ThreatGroup } from "./groups.ts";
import { createBuffers, sortedByNameMax, sortedSlice, warmUp, type Matches } from "./match-rows.ts";
import { createMatching } from "./matching.ts";
import { neighborsOf } from "./neighbors.ts";
import { timesOf } from "./arrays/numbers.ts";
import { quickCounts } from "./quick-counts.ts";
import { createStatistics, type ThreatStatistics } from "./statistics.ts";

export type { FoundThreat } from "./database-lookups.ts";
export type { SearchFilter, SearchOrder } from "./filter.ts";
export type { ThreatGroup } from "./groups.ts";
export { sortedByNameMax } from "./match-rows.ts";
export { sortKeys, type SortKey } from "./columns/sort-keys.ts";

export interface ThreatIndex extends ThreatStatistics {
  /** Reads all threats and warms up the loops; without it, the first search does. */
  prepare(): Promise<void>;
  /** Returns one page of the matches, in order, with exact numbers. */
  search(
    filter: SearchFilter,
    order: SearchOrder,
    page: { page: number; perPage: number },
  ): Promise<SearchResult>;
  /** Returns one page of the matches grouped by campaign, in the order of the first match of each group. */
  searchGroups(
    filter: SearchFilter,
    order: SearchOrder,
    page: { page: number; perPage: number },
  ): Promise<GroupedResult>;
  /**
   * Returns the position of the group that has a threat, from 1. A threat that does not match has the position of its
   * campaign, or of the group where its sort key would place it. Undefined if there is no such threat.
   */
  groupPosition(filter: SearchFilter, order: SearchOrder, id: string): Promise<number | undefined>;
  /** Returns the ids of at most `max` matches, in order, without threats created after `lastSeq`. */
  ids(filter: SearchFilter, order: SearchOrder, limits: { max: number; lastSeq: number }): Promise<string[]>;
  /**
   * Returns the place of a threat in a view, with its neighbors. A threat that does not match (it was just decided)
   * has the place that its sort key gives it. Undefined if there is no such threat.
   */
  around(filter: SearchFilter, order: SearchOrder, id: string): Promise<Place | undefined>;
  /** Counts the matches created after `lastSeq`. */
  newerThan(filter: SearchFilter, lastSeq: number): Promise<number>;
  /** Returns the number of matches. */
  count(filter: SearchFilter): Promise<number>;
  /**
   * Returns the number of matches of each filter; undefined for those that need a scan of all threats
   * (`quick-counts.ts`). Takes microseconds for a filter, however many threats there are.
   */
  quickCounts(filters: readonly SearchFilter[]): Promise<(number | undefined)[]>;
  /** Returns the `seq` of every match, ascending. */
  seqs(filter: SearchFilter): Promise<Float64Array>;
  /** Returns the same, with the time at which each was first seen. */
  seqsWithTimes(filter: SearchFilter): Promise<{ seqs: Float64Array; firstSeen: Float64Array }>;
}

export interface SearchResult {
  threats: FoundThreat[];
  total: number;
  facets: Facets;
  /** `seq` of the newest threat, whether it matches or not. */
  lastSeq: number;
  /** False: too many matches to sort by name, so they are sorted by first seen, newest first. */
  sortedAsRequested: boolean;
}

export interface GroupedResult extends Omit<SearchResult, "threats"> {
  groups: ThreatGroup[];
  /** Number of groups. */
  groupTotal: number;
  /** Number of campaigns with several matches. */
  campaignTotal: number;
}

/** Place of a threat in an ordered view. */
export interface Place {
  /** From 1. One more than `total` for a threat that does not match and would be last. */
  position: number;
  /** Number of matches. */
  total: number;
  previous: FoundThreat | undefined;
  next: FoundThreat | undefined;
}

/** From this number of filters on, reading all protected domains takes less time than looking up each. */
const manyFilters = 50;

interface ThreatIndexDependencies extends Needs<"database" | "yielder"> {
  foreground: Foreground;
  /** Absent: the columns are in memory only. */
  copy?: ColumnCopy | undefined;
}

export function createThreatIndex(dependencies: ThreatIndexDependencies): ThreatIndex {
  const { database, foreground, yielder, copy } = dependencies;
  const store = createColumnStore(database, copy);
  const load = createLoader(database);
  const rowOf = createRowLookup(database);
  const domains = createDomainSeqs(database);
  const { seqOfDomain, seqsOfDomains, domainNames } = domains;
  const seqOfAssignee = createAssigneeSeqs(database);
  const buffers = createBuffers();
  const { allMatches, view, groupView } = createMatching({ database, domains, seqOfAssignee, buffers });
  const current = () => foreground.during(store.catchUp(yielder()));
  let isPrepared = false;

  return {
    async prepare() {
      if (isPrepared) return;
      isPrepared = true;
      await warmUp(await current(), buffers, yielder());
    },

    async search(filter, order, page) {
      const columns = await current();
      const { rows, ...matches } = view(columns, filter, order, sliceOf(page));
      return { threats: load(seqsOf(columns, rows)), ...aboutMatches(columns, filter, order, matches) };
    },

    async searchGroups(filter, order, page) {
      const columns = await current();
      const { slice, matches } = groupView(columns, filter, order, sliceOf(page));
      const { rows, ...totals } = slice;
      const groups = withThreats(columns, rows, { load, domains: domainNames });
      return { groups, ...totals, ...aboutMatches(columns, filter, order, matches) };
    },

    async groupPosition(filter, order, id) {
      const columns = await current();
      const row = rowOf(columns, id);
      if (row === undefined) return undefined;
      return positionOfGroup({ columns, matches: allMatches(columns, filter), order, row, buffers });
    },

    async ids(filter, order, { max, lastSeq }) {
      const columns = await current();
      const matches = allMatches(columns, filter);
      let { count } = matches;
      while (count > 0 && columns.seqs.at(matches.rows[count - 1] ?? 0) > lastSeq) count -= 1;
      const slice = { offset: 0, limit: max };
      const rows = sortedSlice({ columns, matches: { ...matches, count }, order, slice, buffers });
      return load(seqsOf(columns, rows)).map(({ id }) => id);
    },

    async around(filter, order, id) {
      const columns = await current();
      const row = rowOf(columns, id);
      if (row === undefined) return undefined;
      const matches = allMatches(columns, filter);
      const { position, previous, next } = neighborsOf({ columns, matches, order, row, buffers });
      const threatAt = (neighbor: number | undefined) =>
        neighbor === undefined ? undefined : load([columns.seqs.at(neighbor)])[0];
      return { position, total: matches.count, previous: threatAt(previous), next: threatAt(next) };
    },

    async newerThan(filter, lastSeq) {
      const columns = await current();
      const firstRow = columns.seqs.rowFrom(lastSeq + 1);
      return firstRow === columns.count ? 0 : allMatches(columns, filter, firstRow).count;
    },

    count: async (filter) => allMatches(await current(), filter).count,
    quickCounts: async (filters) =>
      quickCounts(await current(), filters, {
        ofDomain: filters.length < manyFilters ? seqOfDomain : seqsOfDomains(),
        ofAssignee: seqOfAssignee,
      }),

    async seqs(filter) {
      const columns = await current();
      return columns.seqs.ofRows(allMatches(columns, filter));
    },

    async seqsWithTimes(filter) {
      const columns = await current();
      const matches = allMatches(columns, filter);
      return { seqs: columns.seqs.ofRows(matches), firstSeen: timesOf(columns.firstSeen, matches) };
    },

    ...createStatistics({ current, allMatches, domainNames }),
  };
}

function sliceOf({ page, perPage }: { page: number; perPage: number }): Slice {
  return { offset: (page - 1) * perPage, limit: perPage };
}

const seqsOf = ({ seqs }: Columns, rows: readonly number[]) => rows.map(seqs.at);

/** Returns what the results of all searches have in common. */
function aboutMatches(
  { seqs, count: rows }: Columns,
  filter: SearchFilter,
  { key }: SearchOrder,
  { count, ofKind }: Pick<Matches, "count" | "ofKind">,
) {
  return {
    total: count,
    facets: facetsOf(ofKind, filter),
    lastSeq: rows === 0 ? 0 : seqs.at(rows - 1),
    sortedAsRequested: key !== "name" || count <= sortedByNameMax,
  };
}
