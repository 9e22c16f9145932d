import { indicatorBit } from "../threats/severity/indicators.ts";
import { verifiedBit, type Columns } from "./columns/columns.ts";
import { wantedKindsOf } from "./facets.ts";
import { isEmpty, withoutKinds, type SearchFilter } from "./filter.ts";

/** Looks up the protected domain and the account that a filter names; undefined: it names none, or there is no such. */
interface FilterSeqs {
  ofDomain: (filter: SearchFilter) => number | undefined;
  /** Null: nobody. */
  ofAssignee: (filter: SearchFilter) => number | null | undefined;
}

type SummaryColumns = Pick<Columns, "summary" | "assigneeNumbers">;

/** Returns the number of matches of each filter, or undefined. */
export function quickCounts(
  columns: SummaryColumns,
  filters: readonly SearchFilter[],
  seqs: FilterSeqs,
): (number | undefined)[] {
  // Most filters of a page differ in one field only.
  const kinds = new Map<string, Uint8Array>();
  const wantedBy = ({ status, severity, type, source, siteStates }: SearchFilter) => {
    const key = JSON.stringify([status, severity, type, source, siteStates]);
    const wanted = kinds.get(key) ?? wantedKindsOf({ status, severity, type, source, siteStates });
    kinds.set(key, wanted);
    return wanted;
  };
  return filters.map((filter) => quickCount(columns, filter, { seqs, wantedBy }));
}

/**
 * Returns the number of matches from the summary alone, without visiting a row; undefined for a filter that needs a
 * scan: one by text, time or similarity, and a combination of two of indicator, protected domain and assignee.
 */
function quickCount(
  { summary, assigneeNumbers }: SummaryColumns,
  filter: SearchFilter,
  {
    seqs,
    wantedBy,
  }: {
    seqs: FilterSeqs;
    wantedBy: (filter: SearchFilter) => Uint8Array;
  },
): number | undefined {
  const { protectedDomain, indicator, verified, assignee, ...scanned } = withoutKinds(filter);
  if (!isEmpty(scanned)) return undefined;
  if ([protectedDomain, indicator, verified, assignee].filter((value) => value !== undefined).length > 1)
    return undefined;
  const wanted = wantedBy(filter);
  const sum = (ofKind: Uint32Array) => {
    let total = 0;
    for (let kind = 0; kind < ofKind.length; kind += 1) total += (ofKind[kind] ?? 0) * (wanted[kind] ?? 0);
    return total;
  };
  const sumOf = (ofKind: ReadonlyMap<number, number>) => {
    let total = 0;
    for (const [kind, count] of ofKind) total += count * (wanted[kind] ?? 0);
    return total;
  };
  // No protected domain has the number 0.
  if (protectedDomain !== undefined) return sumOf(summary.ofDomain(seqs.ofDomain(filter) ?? 0));
  if (assignee !== undefined) {
    const seq = seqs.ofAssignee(filter);
    const number = seq === undefined ? undefined : assigneeNumbers.find(seq);
    return number === undefined ? 0 : sumOf(summary.ofAssignee(number));
  }
  if (indicator !== undefined) return sum(summary.ofKindWithBit(indicatorBit(indicator)));
  if (verified === undefined) return sum(summary.ofKind());
  const ofVerified = sum(summary.ofKindWithBit(verifiedBit));
  return verified ? ofVerified : sum(summary.ofKind()) - ofVerified;
}
