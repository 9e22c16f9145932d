import type { Instant } from "../../../platform/lib/clock.ts";
import type { Page } from "../../lookups/page/page-lookup.ts";
import type { InspectionPriority, InspectionState } from "../../../platform/vocabulary/inspections.ts";
import type { ThreatSource } from "../../../platform/vocabulary/threats.ts";
import type { Verdict } from "./verdict.ts";

/** One request to inspect an address, with its result once there is one. */
export interface Inspection {
  /** TypeID with the prefix `ins`. */
  id: string;
  /** URL (HTTP or HTTPS), or a host name, whose home page is opened. Untrusted. */
  address: string;
  /** Host of the address, in A-label form. */
  host: string;
  priority: InspectionPriority;
  /** How the address was found, as a threat records it. */
  source: ThreatSource;
  /** Feed, API key or account that named the address. */
  origin: { kind: string; name: string };
  /** Protected domains of which threats are recorded, because those who requested it see only these; null: all. */
  within: string[] | null;
  requestedAt: Instant;
  state: InspectionState;
  /** While it is queued: when it starts at the earliest. */
  dueAt: Instant;
  /** Number of times that it was started. */
  attempts: number;
  startedAt: Instant | null;
  finishedAt: Instant | null;
  /** Time that the last attempt took; null: none has ended. */
  durationMs: number | null;
  /** Whether the page imitates a protected brand; null: it was not compared. */
  imitates: boolean | null;
  /** Protected domain with the highest score; null: nothing on the page refers to any. */
  protectedDomain: string | null;
  /** Score for it, 0 to 1. */
  score: number | null;
  /** The highest verdicts first; empty if there is nothing to compare. */
  verdicts: Verdict[];
  page: InspectedPage | null;
  /** Why it waits, failed or was skipped, as a phrase for people: "the name does not exist in DNS". */
  reason: string | null;
  /** Threat that is on record for the host and `protectedDomain`, or that a person recorded; null: none. */
  threatId: string | null;
}

/** Values of an inspection whose page was not compared. */
export function noResult(): Pick<
  Inspection,
  "durationMs" | "imitates" | "protectedDomain" | "score" | "verdicts" | "page" | "reason"
> {
  return {
    durationMs: null,
    imitates: null,
    protectedDomain: null,
    score: null,
    verdicts: [],
    page: null,
    reason: null,
  };
}

/** The part of a page's facts that is kept of every inspection. Texts are safe to show. */
export type InspectedPage = Pick<
  Page,
  | "finalUrl"
  | "framedBy"
  | "redirects"
  | "status"
  | "title"
  | "asksForPassword"
  | "asksForCard"
  | "unseen"
  | "parked"
  | "from"
  | "shownTo"
>;

/** State of the queue. */
export interface InspectionStatus {
  /** Why nothing is fetched, as a phrase for people; null: pages are fetched. */
  disabled: string | null;
  /** Number of addresses that wait, by priority. */
  waiting: Record<InspectionPriority, number>;
  running: number;
  budget: {
    /** Starts within the last minute, and their maximum. */
    minute: { used: number; max: number };
    /** Starts on this day (UTC), their maximum, and when the next day begins. */
    day: { used: number; max: number; endsAt: Instant };
  };
  /** When the address that has waited longest was requested; null: none waits. */
  oldestAt: Instant | null;
  /** Counts over all time. */
  totals: InspectionTotals;
}

/** Counts over all time, which never decrease. */
export interface InspectionTotals {
  /** Pages that imitate a protected brand. */
  imitation: number;
  /** Pages that were compared and imitate none. */
  harmless: number;
  failed: number;
  skipped: number;
  /** Addresses of feeds that were dropped because too many waited. */
  dropped: number;
  started: number;
  /** Time that all attempts took together. */
  durationMs: number;
}
