import type { Instant } from "../../lib/clock.ts";

/** How much each key was used within the last hour; in memory only, for a request must not wait for a write. */
export interface KeyUsage {
  /** @param key its number; @param limited whether it was refused for the limit of its plan */
  note(key: number, limited: boolean, now: Instant): void;
  /** Of the last 60 minutes, to the minute; of this process alone. */
  lastHour(key: number, now: Instant): { requests: number; limited: number };
}

const minuteMs = 60_000;
const slots = 60;

/** A ring of minutes. */
interface Ring {
  /** Which minute since the epoch each slot counts. */
  minutes: Float64Array;
  requests: Uint32Array;
  limited: Uint32Array;
}

/** Some 20 ns a request. A ring exists only for a key that was accepted, so there are never more than keys. */
export function createKeyUsage(): KeyUsage {
  const rings = new Map<number, Ring>();

  return {
    note(key, limited, now) {
      let ring = rings.get(key);
      if (ring === undefined) {
        ring = {
          minutes: new Float64Array(slots),
          requests: new Uint32Array(slots),
          limited: new Uint32Array(slots),
        };
        rings.set(key, ring);
      }
      const minute = Math.floor(now / minuteMs);
      const slot = minute % slots;
      if (ring.minutes[slot] !== minute) {
        ring.minutes[slot] = minute;
        ring.requests[slot] = 0;
        ring.limited[slot] = 0;
      }
      ring.requests[slot]! += 1;
      if (limited) ring.limited[slot]! += 1;
    },

    lastHour(key, now) {
      const ring = rings.get(key);
      const sum = { requests: 0, limited: 0 };
      if (ring === undefined) return sum;
      const newest = Math.floor(now / minuteMs);
      for (let slot = 0; slot < slots; slot++) {
        const minute = ring.minutes[slot]!;
        if (minute > newest || minute <= newest - slots) continue;
        sum.requests += ring.requests[slot]!;
        sum.limited += ring.limited[slot]!;
      }
      return sum;
    },
  };
}
