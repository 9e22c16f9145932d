import type { Instant } from "../lib/clock.ts";
import type { Scan, ScanCounts } from "./tables.ts";

/** How far a running scan is. */
export interface ScanProgress {
  scan: Scan;
  /** Look-ups a second, since they began; null: none yet. */
  perSecond: number | null;
  /** Until all look-alikes are looked up, at that rate; null: not known yet. */
  msLeft: number | null;
}

/** What the process that runs a scan knows of it before the table does. */
export interface LiveScan {
  /** Undefined: nothing was told yet. */
  counts: Readonly<ScanCounts> | undefined;
  /** When the first look-up had ended; undefined: its look-alikes are being made. */
  lookingUpSince: Instant | undefined;
}

/** The first look-ups leave at once, faster than the rest can follow. */
const rateAfterMs = 1_000;

/** @param live undefined: another process runs it, and its counts lag behind by a second. */
export function progressOf(scan: Scan, live: LiveScan | undefined, now: Instant): ScanProgress {
  const counted = { ...scan, ...live?.counts };
  const { planned, candidates } = counted;
  const ms = now - (live === undefined ? scan.startedAt : (live.lookingUpSince ?? now));
  if (candidates === 0 || ms < rateAfterMs) return { scan: counted, perSecond: null, msLeft: null };
  const perMs = candidates / ms;
  return { scan: counted, perSecond: perMs * 1_000, msLeft: Math.max(0, planned - candidates) / perMs };
}
