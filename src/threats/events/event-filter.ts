import type { EventType } from "../../platform/vocabulary/events.ts";
import {
  severities,
  type Severity,
  type Status,
  type ThreatSource,
  type ThreatType,
} from "../../platform/vocabulary/threats.ts";
import type { EventBody, EventPayload } from "./payloads.ts";

/** Selects the events that a webhook endpoint or a subscription is sent. An empty list: all. */
export interface EventFilter {
  minSeverity: Severity;
  protectedDomains: readonly string[];
  types: readonly ThreatType[];
  sources: readonly ThreatSource[];
  verifiedOnly: boolean;
}

/** Matches everything. */
export const noFilter: EventFilter = {
  minSeverity: "low",
  protectedDomains: [],
  types: [],
  sources: [],
  verifiedOnly: false,
};

/** Present state of a threat, as far as filters and messages need it. */
export interface ThreatSnapshot {
  seq: number;
  id: string;
  domain: string;
  protectedDomain: string;
  type: ThreatType;
  severity: Severity;
  similarity: number;
  source: ThreatSource;
  verified: boolean;
  status: Status;
}

/** Returns whether the filter matches every event, so that no threat has to be read. */
export function matchesEverything(filter: EventFilter): boolean {
  const { minSeverity, protectedDomains, types, sources, verifiedOnly } = filter;
  return (
    minSeverity === "low" && protectedDomains.length + types.length + sources.length === 0 && !verifiedOnly
  );
}

export function matchesFilter(filter: EventFilter, threat: ThreatSnapshot): boolean {
  return (
    // From the most severe one on.
    severities.indexOf(threat.severity) <= severities.indexOf(filter.minSeverity) &&
    (!filter.verifiedOnly || threat.verified) &&
    includes(filter.protectedDomains, threat.protectedDomain) &&
    includes(filter.types, threat.type) &&
    includes(filter.sources, threat.source)
  );
}

/**
 * Returns whether the filter matches an event. Events of threats match by the threat, events of scans and beacons by
 * their protected domains alone. Events of honeytokens belong to no domain, and match unless protected domains are listed.
 * @param event.threat null if it is about no threat, or about one that is not on record
 */
export function matchesEvent(
  filter: EventFilter,
  { type, body, threat }: { type: EventType; body: string; threat: ThreatSnapshot | null },
): boolean {
  if (matchesEverything(filter)) return true;
  if (type.startsWith("threat.")) return threat !== null && matchesFilter(filter, threat);
  if (filter.protectedDomains.length === 0) return true;
  return domainsOf(body).some((domain) => filter.protectedDomains.includes(domain));
}

/** Returns the protected domains that an event of a scan or trap is about. */
function domainsOf(body: string): string[] {
  const { data } = JSON.parse(body) as Pick<EventBody, "data">;
  const { scan, beacon } = data as Partial<EventPayload["scan.started"] & EventPayload["beacon.triggered"]>;
  if (scan !== undefined) return scan.protected_domains;
  return beacon === undefined ? [] : [beacon.protected_domain];
}

function includes<T>(list: readonly T[], value: T): boolean {
  return list.length === 0 || list.includes(value);
}

/** Returns a description such as `medium or higher, verified`, or null for a filter that matches everything. */
export function filterText(filter: EventFilter): string | null {
  const { minSeverity, protectedDomains, types, sources, verifiedOnly } = filter;
  const parts = [
    minSeverity === "low" ? "" : `${minSeverity}${minSeverity === "high" ? "" : " or higher"}`,
    verifiedOnly ? "verified" : "",
    types.join(" "),
    sources.join(" "),
    protectedDomains.join(" "),
  ];
  return parts.filter((part) => part !== "").join(", ") || null;
}
