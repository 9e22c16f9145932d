import type { Actor } from "../../../access/audit/actor.ts";
import type { InspectionPriority, InspectionState } from "../../../platform/vocabulary/inspections.ts";
import type { ThreatSource } from "../../../platform/vocabulary/threats.ts";
import type { Inspection } from "./inspection.ts";

export interface RequestOptions {
  priority: InspectionPriority;
  source: ThreatSource;
  /** Feed, API key or account that named the addresses. */
  origin: { kind: string; name: string };
  /**
   * Protected domains that the requester may see: threats are recorded of these only, and no name is refused for belonging
   * to another. Empty or absent: all.
   */
  within?: readonly string[];
  /** Person or program that wants it, for the audit log; absent: no one in particular, such as a feed. */
  requestedBy?: Actor;
  /** Inspects the host now even if it was inspected within the last hour, a few times per hour. For clicks of people. */
  again?: boolean;
}

export interface InspectNowOptions extends Omit<RequestOptions, "priority" | "within"> {
  browser: "never" | "if_needed" | "always";
  /** Inspects the address even if its host was inspected within the last hour. */
  again?: boolean;
  /** False: nothing is recorded, neither the result nor a threat. */
  record: boolean;
  signal: AbortSignal;
}

/** `refused` with a reason, a phrase that follows the address: "is allowed, so it is never fetched". */
export type RequestOutcome = { address: string } & (
  | { outcome: "queued"; inspection: Inspection }
  | { outcome: "known"; inspection: Inspection }
  | { outcome: "refused"; reason: string }
);

/**
 * `screenshot`: WebP, if a browser was used. `queued`: another address of its host was inspected within the last hour, so
 * that a running server inspects it later. `isOwn`: the name is the owner's or allowed, so nothing is wrong.
 */
export type NowOutcome =
  | { outcome: "inspected"; inspection: Inspection; screenshot?: Uint8Array }
  | { outcome: "known"; inspection: Inspection }
  | { outcome: "queued"; inspection: Inspection }
  | { outcome: "refused"; reason: string; isOwn: boolean };

export interface InspectionFilter {
  states?: readonly InspectionState[];
  /** Only pages that imitate a brand, or only others that were compared. */
  imitates?: boolean;
  protectedDomain?: string;
  source?: ThreatSource;
  /** Feed, API key or account that named the address. */
  origin?: { kind: string; name: string };
  /** Part of the address, in any case. */
  text?: string;
  /** Only what a person requested at once. */
  request?: PersonalRequest;
}

/** The requests of an account of the console, from the inspection with the first id to that with the last one. */
export interface PersonalRequest {
  by: string;
  first: string;
  last: string;
}

/** Number of inspections by their result. */
export interface RequestProgress {
  all: number;
  imitating: number;
  harmless: number;
  failed: number;
  skipped: number;
  /** Those that wait or run. */
  waiting: number;
}
