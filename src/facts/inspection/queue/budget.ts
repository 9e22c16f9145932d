const minuteMs = 60_000;
const secondMs = 1_000;
/** A burst is at most twice as fast as the rate of the whole minute. */
const burstFactor = 2;

/** Limits how many inspections start. */
export type Budget = ReturnType<typeof createBudget>;

export interface BudgetLimits {
  perMinute: number;
  perDay: number;
}

/**
 * Creates a budget that never exceeds `perMinute` within any minute. `perDay` holds for feeds and programs only
 * (`unattended`): what people enter counts, but a list must not lock them out.
 */
export function createBudget(monotonicMs: () => number) {
  /** Starts within the last minute, the oldest first. */
  let starts: { atMs: number; count: number }[] = [];
  let givenBack: number[] = [];
  let givenBackMax = 0;

  function recent(withinMs: number): number {
    const now = monotonicMs();
    starts = starts.filter(({ atMs }) => now - atMs < minuteMs);
    return starts.filter(({ atMs }) => now - atMs < withinMs).reduce((sum, { count }) => sum + count, 0);
  }

  const burstOf = ({ perMinute }: BudgetLimits) =>
    Math.max(1, Math.ceil((perMinute * burstFactor * secondMs) / minuteMs));

  return {
    /**
     * Returns how many may start now.
     * @param limits of the configuration
     * @param startedToday number of starts of this day (UTC)
     */
    allowed(limits: BudgetLimits, startedToday: number) {
      givenBackMax = limits.perMinute;
      const anyone = Math.max(
        0,
        Math.min(limits.perMinute - recent(minuteMs), burstOf(limits) - recent(secondMs)),
      );
      return { anyone, unattended: Math.max(0, Math.min(anyone, limits.perDay - startedToday)) };
    },

    /** Counts starts of this moment. */
    start(count: number) {
      if (count > 0) starts.push({ atMs: monotonicMs(), count });
    },

    /**
     * Does not count a start that fetched nothing. At most as many per minute as may start: each takes some work.
     * @param startedMs monotonic time of the start, or a moment later
     */
    giveBack(startedMs: number) {
      const now = monotonicMs();
      givenBack = givenBack.filter((atMs) => now - atMs < minuteMs);
      const counted = starts.findLast(({ atMs, count }) => atMs <= startedMs && count > 0);
      if (counted === undefined || givenBack.length >= givenBackMax) return;
      counted.count -= 1;
      givenBack.push(now);
    },

    /** Returns the number of starts within the last minute. */
    lastMinute: () => recent(minuteMs),
  };
}
