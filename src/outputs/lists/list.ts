import type { Instant } from "../../lib/clock.ts";
import { severities, type Severity, type Status, type ThreatType } from "../../vocabulary/threats.ts";
import type { lists } from "./tables.ts";

/** A block list. */
export type List = typeof lists.$inferSelect;

/** Threats that a list contains. */
export interface ListFilter {
  statuses: readonly Status[];
  minSeverity: Severity;
  verifiedOnly: boolean;
  /** Empty: all. */
  protectedDomains: readonly string[];
  /** How long a threat is listed after it was first seen; null: always. */
  maxAgeMs: number | null;
}

/** A list as the configuration file or a person declares it. */
export interface DeclaredList extends ListFilter {
  name: string;
  token: string;
}

/** The filter of a list for which nothing else is given: what can be blocked without a person's decision. */
export const defaultFilter: ListFilter = {
  statuses: ["active"],
  minSeverity: "high",
  verifiedOnly: true,
  protectedDomains: [],
  maxAgeMs: null,
};

/** A name on a list. It may be a threat to several protected domains. */
export interface ListedName {
  /** A-labels. */
  name: string;
  /** Sorted. */
  protectedDomains: readonly string[];
  /** Type of the most severe threat, and of the oldest among those. */
  type: ThreatType;
  /** Highest severity. */
  severity: Severity;
  /** Earliest time. */
  firstSeen: Instant;
}

/** Content of a list. Never changes: another content is another object. */
export interface ListContent {
  /** Sorted by name, each once. */
  rows: readonly ListedName[];
  /** Protected and allowed names below listed ones, which must stay reachable; sorted. */
  allowed: readonly string[];
  digest: string;
  changedAt: Instant;
}

/** A threat with the fields that a list needs. */
export interface ListedThreat {
  seq: number;
  protectedDomain: string;
  type: ThreatType;
  severity: Severity;
  firstSeen: Instant;
}

/** Combines the threats with one name, at least one, into the row of that name. */
export function combine(name: string, threats: readonly ListedThreat[]): ListedName {
  const [first] = threats;
  if (threats.length === 1) {
    const { protectedDomain, type, severity, firstSeen } = first!;
    return { name, protectedDomains: [protectedDomain], type, severity, firstSeen };
  }
  const worst = threats.toSorted(
    (a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity) || a.seq - b.seq,
  )[0]!;
  return {
    name,
    protectedDomains: [...new Set(threats.map(({ protectedDomain }) => protectedDomain))].sort(),
    type: worst.type,
    severity: worst.severity,
    firstSeen: Math.min(...threats.map(({ firstSeen }) => firstSeen)),
  };
}
