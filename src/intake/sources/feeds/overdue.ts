import type { Instant } from "../../../platform/lib/clock.ts";
import type { Overdue } from "../source.ts";
import type { FeedFile } from "./tables.ts";

/** Number of files from which a feed's rhythm is determined. */
const latestMax = 12;
const gapsMin = 3;
/** Files that are closer together were added at once and have no rhythm. */
const rhythmMsMin = 10 * 60_000;
const overdueMsMin = 2 * 3_600_000;

/** Returns when the newest file was written; null if there is none. */
export function lastFileAt(files: readonly Pick<FeedFile, "modifiedAt">[]): Instant | null {
  return files.reduce<Instant | null>(
    (last, { modifiedAt }) => Math.max(last ?? modifiedAt, modifiedAt),
    null,
  );
}

/**
 * Reports a feed that seems to have stopped: nothing new for more than three times the usual gap between its files.
 * The usual gap is the median, so that one holiday does not count. Returns null for feeds without a rhythm.
 */
export function overdueOf(files: readonly Pick<FeedFile, "modifiedAt">[], now: Instant): Overdue | null {
  const latest = files
    .map(({ modifiedAt }) => modifiedAt)
    .sort((a, b) => b - a)
    .slice(0, latestMax);
  const gaps = latest.slice(1).map((at, index) => latest[index]! - at);
  if (gaps.length < gapsMin) return null;
  const usualMs = gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)]!;
  const sinceMs = now - latest[0]!;
  const isOverdue = usualMs >= rhythmMsMin && sinceMs > Math.max(3 * usualMs, overdueMsMin);
  return isOverdue ? { usualMs, sinceMs } : null;
}
