import { kindCount, kinds, kindValues, type Kind } from "./columns/kinds.ts";
import type { SearchFilter } from "./filter.ts";

/** The conditions of a filter that a kind alone decides. */
export type KindFilter = Pick<SearchFilter, "type" | "status" | "severity" | "source" | "siteStates">;

/** Number of matches by value of one field, ignoring the filter by that field itself. */
export type Facets = { [Field in keyof Kind]: Map<Kind[Field], number> };

const kindFields = ["type", "status", "severity", "source", "siteState"] as const;

/** Returns 1 for each value of a field, by its index, that passes the filter. */
function wantedValues(filter: KindFilter, field: keyof Kind): Uint8Array {
  const values: readonly unknown[] = kindValues[field];
  const { siteStates } = filter;
  const isWanted =
    field === "siteState"
      ? (value: unknown) => siteStates === undefined || siteStates.some((state) => state === value)
      : (value: unknown) => filter[field] === undefined || filter[field] === value;
  return Uint8Array.from(values, (value) => (isWanted(value) ? 1 : 0));
}

/** Returns 1 for each kind that passes the filter, by its number. */
export function wantedKindsOf(filter: KindFilter): Uint8Array {
  const wanted = new Uint8Array(kindCount + 1);
  const [types, statuses, severities, sources, siteStates] = kindFields.map((field) =>
    wantedValues(filter, field),
  ) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array];
  let number = 0;
  for (const type of types)
    for (const status of statuses)
      for (const severity of severities)
        for (const source of sources)
          for (const siteState of siteStates)
            wanted[number++] = type & status & severity & source & siteState;
  return wanted;
}

/** @param ofKind number of matches by kind, ignoring the filters by kind */
export function facetsOf(ofKind: Uint32Array, filter: KindFilter): Facets {
  const facets: Facets = {
    type: new Map(),
    status: new Map(),
    severity: new Map(),
    source: new Map(),
    siteState: new Map(),
  };
  // By field: the kinds that pass the filters by the other fields.
  const wanted = kindFields.map((field) =>
    wantedKindsOf({ ...filter, [field === "siteState" ? "siteStates" : field]: undefined }),
  );
  for (let number = 0; number < kindCount; number += 1) {
    const total = ofKind[number] ?? 0;
    if (total === 0) continue;
    for (const [index, field] of kindFields.entries()) {
      if (wanted[index]![number] === 0) continue;
      const counts: Map<string | null, number> = facets[field];
      const value = kinds[number]![field];
      counts.set(value, (counts.get(value) ?? 0) + total);
    }
  }
  return facets;
}
