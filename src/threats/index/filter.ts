import type { Instant } from "../../platform/lib/clock.ts";
import type { Indicator } from "../threats/severity/indicators.ts";
import type { ThreatFilter } from "../threats/store/queries.ts";
import type { SiteState } from "../../platform/vocabulary/site.ts";
import type { Severity, ThreatSource, Status, ThreatType } from "../../platform/vocabulary/threats.ts";
import type { NameQuery } from "./columns/name-query.ts";
import type { SortKey } from "./columns/sort-keys.ts";

/** Conditions that all have to hold; an absent one does not restrict. */
export interface SearchFilter {
  /** A-label form. */
  protectedDomain?: string | undefined;
  /** Only threats to these protected domains (A-label form); absent or empty: all. */
  within?: readonly string[] | undefined;
  status?: Status | undefined;
  severity?: Severity | undefined;
  type?: ThreatType | undefined;
  source?: ThreatSource | undefined;
  indicator?: Indicator | undefined;
  /** Only threats that are verified (`threats/severity/verified.ts`), or only those that are not. */
  verified?: boolean | undefined;
  text?: NameQuery | undefined;
  /** First seen at this time or later. */
  from?: Instant | undefined;
  /** First seen before this time. */
  before?: Instant | undefined;
  /** Created or changed at this time or later. */
  changedSince?: Instant | undefined;
  minSimilarity?: number | undefined;
  /** As the registration data spells it. */
  registrar?: string | undefined;
  /** Operator of the name servers (`operatorOf`). */
  nameServers?: string | undefined;
  /** Network of the address (`networkOf`). */
  network?: string | undefined;
  /** Name of the account that the threat is assigned to, in any case; null: nobody. */
  assignee?: string | null | undefined;
  /** Only active threats that were due before this time. */
  overdueAt?: Instant | undefined;
  /** Only threats whose site is in one of these states; null stands for threats whose state is not determined yet. */
  siteStates?: readonly (SiteState | null)[] | undefined;
  /** Number of a campaign (`threats.campaign_seq`). */
  campaignSeq?: number | undefined;
  /** Only threats that this import created (its `seq`). */
  importSeq?: number | undefined;
  /** Only threats that this scan created (its `seq`). */
  scanSeq?: number | undefined;
}

/**
 * Returns the filter for the database if its tables have an index for this combination of conditions; undefined if only
 * the index in memory is fast for it.
 */
export function tableFilterOf(filter: SearchFilter): ThreatFilter | undefined {
  const { protectedDomain, within, status, severity, ...others } = filter;
  if (!isEmpty(others)) return undefined;
  return { protectedDomain, within, status, severity };
}

/** Returns the conditions that are not on the kind of a threat (`columns/kinds.ts`). */
export function withoutKinds(filter: SearchFilter) {
  const { status: _1, severity: _2, type: _3, source: _4, siteStates: _5, ...others } = filter;
  return others;
}

/** Returns whether a filter has no condition. */
export function isEmpty(filter: SearchFilter): boolean {
  return Object.values(filter).every((value) => value === undefined);
}

/** Threats with equal keys are ordered by first seen, those that are due at the same time by severity before. */
export interface SearchOrder {
  key: SortKey;
  descending: boolean;
}

/** The order of the API's list. */
export const newestFirst: SearchOrder = { key: "first_seen", descending: true };

/** A range of the ordered matches. */
export interface Slice {
  offset: number;
  limit: number;
}
