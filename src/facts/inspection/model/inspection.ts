import type { Instant } from "../../../platform/lib/clock.ts";
import type { InspectionPriority } from "../../../platform/vocabulary/inspections.ts";
import type { inspections } from "./tables.ts";

type Row = typeof inspections.$inferSelect;

/** One request to inspect an address, with its result once there is one. */
export interface Inspection extends Omit<Row, "originKind" | "originName" | "seq" | "threatSeq"> {
  /** Feed, API key or account that named the address. */
  origin: { kind: string; name: string };
  /** Threat that is on record for the host and `protectedDomain`, or that a person recorded; null: none. */
  threatId: string | null;
}

/** Values of an inspection whose page was not compared. */
export const noResult = {
  durationMs: null,
  imitates: null,
  protectedDomain: null,
  score: null,
  verdicts: [],
  page: null,
  reason: null,
} satisfies Partial<Inspection>;

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
