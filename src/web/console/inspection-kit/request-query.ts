import { normalizeName } from "../../../engines/detection/names/name.ts";
import { refang } from "../../../engines/detection/names/pasted-name.ts";
import type { Inspection, InspectionFilter, PersonalRequest } from "../../../facts/inspection/inspections.ts";
import { threatSources } from "../../../platform/vocabulary/threats.ts";
import { inspectionsPath, pathWith } from "../kit/paths.ts";

/** Returns the request that the list is limited to, if any. */
export function requestIn(query: URLSearchParams): PersonalRequest | undefined {
  const [by, first, last] = [query.get("by"), query.get("first"), query.get("last")];
  return by === null || first === null || last === null ? undefined : { by, first, last };
}

/** Returns the address of the list that is limited to what a feed, an API key or an account named. */
export function inspectionsFrom({ kind, name }: Inspection["origin"]): string {
  return pathWith(inspectionsPath, new URLSearchParams({ origin: kind, name }));
}

/** Returns the parameters that limit the list and that no field of the form sets. */
export function fixedLimits(query: URLSearchParams): [name: string, value: string][] {
  return [...query].filter(([name]) => ["by", "first", "last", "origin", "name"].includes(name));
}

/** Returns a part of an address without defanging: that is how the list shows addresses. */
function asStored(text: string): string {
  return refang(text).replace(/^hxxp(?=s?:)/i, "http");
}

/** Outcomes that the list can be limited to, with the filter of each. */
export const outcomes = {
  imitation: { label: "Imitations", filter: { imitates: true } },
  none: { label: "No imitation", filter: { imitates: false } },
  waiting: { label: "Waiting", filter: { states: ["queued", "running"] } },
  failed: { label: "Could not be opened", filter: { states: ["failed"] } },
  skipped: { label: "Not opened", filter: { states: ["skipped"] } },
} as const satisfies Record<string, { label: string; filter: InspectionFilter }>;

/** Returns the filter that the parameters of the list state. */
export function inspectionFilterIn(query: URLSearchParams): InspectionFilter {
  const outcome = Object.entries(outcomes).find(([name]) => name === query.get("outcome"))?.[1];
  const domain = normalizeName(query.get("domain") ?? "");
  const [kind, name] = [query.get("origin"), query.get("name")];
  return {
    request: requestIn(query),
    origin: kind === null || name === null ? undefined : { kind, name },
    ...outcome?.filter,
    source: threatSources.find((one) => one === query.get("source")),
    protectedDomain: "name" in domain ? domain.name : undefined,
    text: asStored((query.get("q") ?? "").trim()),
  };
}
