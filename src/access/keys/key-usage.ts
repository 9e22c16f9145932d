import type { Instant } from "../../platform/lib/clock.ts";

/** Requests of each key within the last hour. Kept in memory only, because a request must not wait for a write. */
export type KeyUsage = ReturnType<typeof createKeyUsage>;

const minuteMs = 60_000;
const slots = 60;

/** Ring buffer with one slot per minute. */
interface Ring {
  /** Minute since the epoch that each slot counts. */
  minutes: Float64Array;
  requests: Uint32Array;
  limited: Uint32Array;
}

/** Counting takes about 20 ns. Only valid keys get a ring, so memory is limited by their number. */
export function createKeyUsage() {
  const rings = new Map<number, Ring>();

  return {
    /**
     * Counts a request.
     * @param key `seq` of the key
     * @param limited whether the request was rejected because of the plan's rate limit
     */
    note(key: number, limited: boolean, now: Instant) {
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

    /** Returns the requests of the last 60 minutes, with minute precision, in this process. */
    lastHour(key: number, now: Instant): { requests: number; limited: number } {
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
