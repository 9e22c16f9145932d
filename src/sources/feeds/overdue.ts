import type { Instant } from "../../lib/clock.ts";
import { spanText } from "../../lib/spans.ts";
import type { FeedFile } from "./tables.ts";

/** A feed whose next file should have come long ago. */
export interface Overdue {
  /** How far apart its files were before. */
  usualMs: number;
  /** Since the last one. */
  sinceMs: number;
}

/** Its rhythm is that of the latest files. */
const latestMax = 12;
const gapsMin = 3;
/** Files that come closer together were put there at once and have no rhythm. */
const rhythmMsMin = 10 * 60_000;
const overdueMsMin = 2 * 3_600_000;

/** When the last file was written; null: there is none. */
export function lastFileAt(files: readonly Pick<FeedFile, "modifiedAt">[]): Instant | null {
  return files.reduce<Instant | null>(
    (last, { modifiedAt }) => Math.max(last ?? modifiedAt, modifiedAt),
    null,
  );
}

/**
 * Whether a feed seems to have stopped: nothing new for three times as long as there was between its files, by
 * their median so that one holiday does not count. Null for feeds that come as they please.
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

export function describeOverdue({ usualMs, sinceMs }: Overdue): string {
  return `nothing new for ${spanText(sinceMs)}; files used to come every ${spanText(usualMs)}`;
}
