import { indicatorBit } from "../threats/severity/indicators.ts";
import { verifiedBit, type Columns } from "./columns/columns.ts";
import { wantedKindsOf } from "./facets.ts";
import type { SearchFilter } from "./filter.ts";

/** Returns the number of matches of each filter, or undefined. @param seqOfDomain number of the domain that a filter names */
export function quickCounts(
  columns: Pick<Columns, "summary">,
  filters: readonly SearchFilter[],
  seqOfDomain: (filter: SearchFilter) => number | undefined,
): (number | undefined)[] {
  return filters.map((filter) => quickCount(columns, filter, seqOfDomain(filter)));
}

/**
 * Returns the number of matches from the summary alone, without visiting a row; undefined for a filter that needs a
 * scan: one by text, time or similarity, and a combination of an indicator with another one or a protected domain.
 */
function quickCount(
  { summary }: Pick<Columns, "summary">,
  filter: SearchFilter,
  protectedDomainSeq: number | undefined,
): number | undefined {
  const { protectedDomain, status, severity, type, source, indicator, verified, ...scanned } = filter;
  if (Object.values(scanned).some((value) => value !== undefined)) return undefined;
  const wanted = wantedKindsOf({ status, severity, type, source });
  const sum = (ofKind: Uint32Array) => ofKind.reduce((total, n, kind) => total + n * wanted[kind]!, 0);
  if (indicator === undefined && verified === undefined)
    // No protected domain has the number 0.
    return sum(summary.ofKind(protectedDomain === undefined ? undefined : (protectedDomainSeq ?? 0)));
  if (protectedDomain !== undefined || (indicator !== undefined && verified !== undefined)) return undefined;
  if (indicator !== undefined) return sum(summary.ofKindWithBit(indicatorBit(indicator)));
  const ofVerified = sum(summary.ofKindWithBit(verifiedBit));
  return verified === true ? ofVerified : sum(summary.ofKind(undefined)) - ofVerified;
}
