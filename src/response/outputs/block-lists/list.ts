import type { Instant } from "../../../platform/lib/clock.ts";
import { formatDuration } from "../../../platform/lib/durations.ts";
import { counted } from "../../../platform/lib/wording.ts";
import type { BlockListFormat } from "../../../platform/vocabulary/lists.ts";
import {
  severities,
  type Severity,
  type Status,
  type ThreatType,
} from "../../../platform/vocabulary/threats.ts";
import type { lists } from "./tables.ts";

/** A block list. */
export type List = typeof lists.$inferSelect;

/** Returns the address of a list. It contains the token, so only administrators may see it. */
export function listAddress(
  { name, token }: Pick<List, "name" | "token">,
  format: BlockListFormat,
  publicUrl: string,
): string {
  return `${publicUrl}/lists/${encodeURIComponent(token)}/${name}.${format}`;
}

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

/** Returns what a list contains, in words. */
export function describeFilter(filter: ListFilter): string {
  const { statuses, minSeverity, verifiedOnly, protectedDomains, maxAgeMs } = filter;
  const levels = severities.slice(0, severities.indexOf(minSeverity) + 1);
  return [
    statuses.map((status) => status.replace("_", " ")).join(", "),
    levels.length === severities.length ? "any severity" : levels.join(" or "),
    ...(verifiedOnly ? ["verified"] : []),
    ...(protectedDomains.length === 0 ? [] : [counted(protectedDomains.length, "protected domain")]),
    ...(maxAgeMs === null ? [] : [`first seen in the last ${formatDuration(maxAgeMs)}`]),
  ].join("; ");
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
