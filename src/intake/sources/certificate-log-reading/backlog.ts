/** Finds where to resume in a log whose backlog is older than `catch_up`. */
import type { Instant } from "../../../platform/lib/clock.ts";

/** Requests of one search. Halving the largest tree takes 48. */
const probesMax = 64;

/**
 * Returns an entry before which nothing was logged at `since` or later, searching from `from` to `to`. It
 * lies at most `toleranceMs` earlier than necessary, or `entriesTolerated` entries: what is read in vain costs less than
 * more probes. Logs order their entries only roughly by time, so the result is as exact as their order.
 *
 * Every other probe assumes that the log grew evenly, which finds most places with a few requests; the others halve the
 * range, for logs that did not.
 *
 * @param timeAt returns the time of the entry at an index
 */
export async function findEntryByTime({
  from,
  to,
  since,
  toAt,
  toleranceMs,
  entriesTolerated,
  timeAt,
}: {
  from: number;
  to: number;
  since: Instant;
  /** Time of the end of the range. */
  toAt: Instant;
  toleranceMs: number;
  entriesTolerated: number;
  timeAt: (index: number) => Promise<Instant>;
}): Promise<{ index: number; at: Instant }> {
  let low = { index: from, at: await timeAt(from) };
  let high = { index: to, at: toAt };
  if (low.at >= since) return low;
  for (let probe = 0; probe < probesMax && high.index - low.index > entriesTolerated; probe++) {
    if (since - low.at <= toleranceMs) break;
    const share = probe % 2 === 0 ? (since - low.at) / (high.at - low.at) : 0.5;
    const width = high.index - low.index;
    const offset = Math.min(
      width - 1,
      Math.max(1, Math.floor(width * (Number.isFinite(share) ? share : 0.5))),
    );
    const index = low.index + offset;
    const at = await timeAt(index);
    if (at < since) low = { index, at };
    else high = { index, at };
  }
  return low;
}
