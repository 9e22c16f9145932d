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
  // Most filters of a page differ in one field only.
  const kinds = new Map<string, Uint8Array>();
  const wantedBy = ({ status, severity, type, source }: SearchFilter) => {
    const key = [status, severity, type, source].join();
    const wanted = kinds.get(key) ?? wantedKindsOf({ status, severity, type, source });
    kinds.set(key, wanted);
    return wanted;
  };
  return filters.map((filter) => quickCount(columns, filter, { seqOf: seqOfDomain, wantedBy }));
}

/**
 * Returns the number of matches from the summary alone, without visiting a row; undefined for a filter that needs a
 * scan: one by text, time or similarity, and a combination of an indicator with another one or a protected domain.
 */
function quickCount(
  { summary }: Pick<Columns, "summary">,
  filter: SearchFilter,
  {
    seqOf,
    wantedBy,
  }: {
    seqOf: (filter: SearchFilter) => number | undefined;
    wantedBy: (filter: SearchFilter) => Uint8Array;
  },
): number | undefined {
  const {
    protectedDomain,
    status: _1,
    severity: _2,
    type: _3,
    source: _4,
    indicator,
    verified,
    ...scanned
  } = filter;
  if (Object.values(scanned).some((value) => value !== undefined)) return undefined;
  const wanted = wantedBy(filter);
  const sum = (ofKind: Uint32Array) => {
    let total = 0;
    for (let kind = 0; kind < ofKind.length; kind += 1) total += ofKind[kind]! * wanted[kind]!;
    return total;
  };
  if (indicator === undefined && verified === undefined)
    // No protected domain has the number 0.
    return sum(summary.ofKind(protectedDomain === undefined ? undefined : (seqOf(filter) ?? 0)));
  if (protectedDomain !== undefined || (indicator !== undefined && verified !== undefined)) return undefined;
  if (indicator !== undefined) return sum(summary.ofKindWithBit(indicatorBit(indicator)));
  const ofVerified = sum(summary.ofKindWithBit(verifiedBit));
  return verified === true ? ofVerified : sum(summary.ofKind(undefined)) - ofVerified;
}
