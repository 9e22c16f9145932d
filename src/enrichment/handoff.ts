import type { Clock, Instant } from "../lib/clock.ts";
import type { Existence } from "../lookups/dns/existence.ts";

/**
 * What a scan has just heard from DNS about names that it found, for the looks at them that follow: without it each
 * name would be asked for twice within minutes.
 */
export interface HandedOver {
  put(threatId: string, existence: Existence): void;
  /** Once only: whoever looks again wants to know what it is by then. */
  take(threatId: string): Existence | undefined;
}

const heldMs = 10 * 60_000;
/** As many as are looked at in that time. */
const heldMax = 6_000;

export function createHandedOver(clock: Clock): HandedOver {
  // The oldest one stands first.
  const held = new Map<string, { existence: Existence; until: Instant }>();
  return {
    put(threatId, existence) {
      if (existence.exists !== "yes") return;
      held.delete(threatId);
      held.set(threatId, { existence, until: clock.now() + heldMs });
      if (held.size > heldMax) held.delete(held.keys().next().value!);
    },
    take(threatId) {
      const found = held.get(threatId);
      held.delete(threatId);
      return found !== undefined && clock.now() < found.until ? found.existence : undefined;
    },
  };
}
