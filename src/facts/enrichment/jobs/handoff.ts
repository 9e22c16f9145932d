import { BoundedMap } from "../../../platform/lib/bounded-map.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import type { Existence } from "../../lookups/dns/existence.ts";

/**
 * Keeps DNS results of scans for the checks of the same names that follow. Without it, each name would be looked up
 * twice within minutes.
 */
export type Handoff = ReturnType<typeof createHandoff>;

const keptMs = 10 * 60_000;
/** Number of threats that are checked in that time. */
const entriesMax = 6_000;

export function createHandoff(clock: Clock) {
  const kept = new BoundedMap<string, { existence: Existence; untilMs: number }>(entriesMax);
  return {
    put(threatId: string, existence: Existence) {
      if (existence.exists !== "yes") return;
      kept.set(threatId, { existence, untilMs: clock.monotonicMs() + keptMs });
    },

    /** Returns a result once only: a later check wants to know the state at that time. */
    take(threatId: string) {
      const found = kept.get(threatId);
      kept.delete(threatId);
      return found !== undefined && clock.monotonicMs() < found.untilMs ? found.existence : undefined;
    },
  };
}
