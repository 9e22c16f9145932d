import type { Instant } from "../../platform/lib/clock.ts";
import type { Scan, ScanCounts } from "./tables.ts";

/** Progress of a running scan. */
export type ScanProgress = ReturnType<typeof progressOf>;

/** State of a scan in the process that runs it, ahead of the table. */
export interface LiveScan {
  /** Undefined before the first progress report. */
  counts: Readonly<ScanCounts> | undefined;
  /** When the first lookup had finished; undefined while look-alikes are generated. */
  lookingUpSince?: Instant | undefined;
}

/** The rate is unknown until this time has passed, because the first lookups all start at once. */
const rateAfterMs = 1_000;

/** @param live undefined when another process runs the scan; then the counts are up to a second old. */
export function progressOf(scan: Scan, live: LiveScan | undefined, now: Instant) {
  const current = { ...scan, ...live?.counts };
  const { planned, candidates } = current;
  const ms = now - (live === undefined ? scan.startedAt : (live.lookingUpSince ?? now));
  const perMs = candidates === 0 || ms < rateAfterMs ? null : candidates / ms;
  return {
    scan: current,
    /** Lookups per second since they started; null before the first. */
    perSecond: perMs === null ? null : perMs * 1_000,
    /** Estimated time until all look-alikes are looked up; null before it can be estimated. */
    msLeft: perMs === null ? null : Math.max(0, planned - candidates) / perMs,
  };
}

/**
 * Largest share of look-alikes without a definite result that is not reported. One or two in a hundred are normal,
 * because their name servers are broken.
 */
const unknownShareMax = 0.05;

/** Returns whether more look-alikes are unknown than is normal, so that a scan may have missed some that exist. */
export function hasManyUnknown({ candidates, unknown }: Pick<ScanCounts, "candidates" | "unknown">): boolean {
  return unknown > candidates * unknownShareMax;
}
