import type { Severity, ThreatSource, Status, ThreatType } from "../vocabulary/threats.ts";
import { kindCount, kinds, type Kind } from "./columns/kinds.ts";

type KindFilter = { [field in keyof Kind]?: Kind[field] | undefined };

/** Number of matches by value of one field, ignoring the filter by that field itself. */
export interface Facets {
  type: Map<ThreatType, number>;
  status: Map<Status, number>;
  severity: Map<Severity, number>;
  source: Map<ThreatSource, number>;
}

const kindFields = ["type", "status", "severity", "source"] as const;

function isOfKind(kind: Kind, filter: KindFilter, except?: (typeof kindFields)[number]): boolean {
  return kindFields.every(
    (field) => field === except || filter[field] === undefined || filter[field] === kind[field],
  );
}

/** Returns 1 for each kind that passes the filter, by its number. */
export function wantedKindsOf(filter: KindFilter): Uint8Array {
  const wanted = new Uint8Array(kindCount + 1);
  for (const [number, kind] of kinds.entries()) wanted[number] = isOfKind(kind, filter) ? 1 : 0;
  return wanted;
}

/** @param ofKind number of matches by kind, ignoring the filters by kind */
export function facetsOf(ofKind: Uint32Array, filter: KindFilter): Facets {
  const facets = { type: new Map(), status: new Map(), severity: new Map(), source: new Map() };
  for (const [number, kind] of kinds.entries()) {
    const total = ofKind[number]!;
    if (total === 0) continue;
    for (const field of kindFields) {
      if (!isOfKind(kind, filter, field)) continue;
      const counts: Map<string, number> = facets[field];
      counts.set(kind[field], (counts.get(kind[field]) ?? 0) + total);
    }
  }
  return facets;
}
