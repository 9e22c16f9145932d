import type { Instant } from "../lib/clock.ts";
import type { Indicator } from "../threats/severity/indicators.ts";
import type { Severity, ThreatSource, Status, ThreatType } from "../vocabulary/threats.ts";
import type { NameQuery } from "./name-query.ts";
import type { SortKey } from "./sort-keys.ts";

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
  /** Only threats that this import created (its `seq`). */
  importSeq?: number | undefined;
  /** Only threats that this scan created (its `seq`). */
  scanSeq?: number | undefined;
}

/** Threats with equal keys are ordered by first seen. */
export interface SearchOrder {
  key: SortKey;
  descending: boolean;
}

/** A range of the ordered matches. */
export interface Slice {
  offset: number;
  limit: number;
}
