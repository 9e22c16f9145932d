import type { Database } from "../../platform/database/database.ts";
import type { Columns } from "./columns/columns.ts";
import { intersectionOf } from "./arrays/row-set.ts";
import { createRunRows, type createAssigneeSeqs, type createDomainSeqs } from "./database-lookups.ts";
import type { SearchFilter, SearchOrder, Slice } from "./filter.ts";
import { groupedSlice } from "./groups.ts";
import { hostRows } from "./host-counts.ts";
import { matchRows, sortedSlice, type Buffers } from "./match-rows.ts";
import { isNearTop, kindView, matchedView, topGroups, topSlice } from "./top-views.ts";

/** Returns functions that resolve a filter and find its matches. */
export function createMatching({
  database,
  domains: { seqOfDomain, domainsWithin },
  seqOfAssignee,
  buffers,
}: {
  database: Database;
  domains: ReturnType<typeof createDomainSeqs>;
  seqOfAssignee: ReturnType<typeof createAssigneeSeqs>;
  buffers: Buffers;
}) {
  const rowsOfRun = createRunRows(database);

  function allMatches(columns: Columns, filter: SearchFilter, firstRow?: number) {
    const seqs = {
      protectedDomainSeq: seqOfDomain(filter),
      assigneeSeq: seqOfAssignee(filter),
      domains: domainsWithin(filter),
    };
    const named = filter.text && columns.names.search(filter.text);
    const among = intersectionOf(columns.count, [
      named,
      rowsOfRun(columns, filter),
      hostRows(columns, filter),
    ]);
    return matchRows({ columns, filter, ...seqs, buffers, among, firstRow });
  }

  /** Returns the matches as a view whose top is found without sorting them, if that is faster, and else all of them. */
  function matching(columns: Columns, filter: SearchFilter, order: SearchOrder, slice: Slice) {
    const isTop = isNearTop(order, slice);
    const ofKind = isTop ? kindView(columns, filter, seqOfDomain(filter)) : undefined;
    if (ofKind !== undefined) return { top: ofKind };
    const all = allMatches(columns, filter);
    const top = isTop ? matchedView(all) : undefined;
    return top === undefined ? { all } : { top };
  }

  function view(columns: Columns, filter: SearchFilter, order: SearchOrder, slice: Slice) {
    const { top, all } = matching(columns, filter, order, slice);
    if (top !== undefined) return { ...top, rows: topSlice({ columns, view: top, order, slice }) };
    return { ...all, rows: sortedSlice({ columns, matches: all, order, slice, buffers }) };
  }

  function groupView(columns: Columns, filter: SearchFilter, order: SearchOrder, slice: Slice) {
    const { top, all } = matching(columns, filter, order, slice);
    if (top !== undefined)
      return { slice: topGroups({ columns, view: top, order, slice, buffers }), matches: top };
    return { slice: groupedSlice({ columns, matches: all, order, slice, buffers }), matches: all };
  }

  return { allMatches, view, groupView };
}
