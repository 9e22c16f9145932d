export interface NetworkLimit {
  /** Takes one of the network's visits of this minute; false: there are none left. */
  take(network: string, now: number): boolean;
}

const minuteMs = 60_000;
const networksMax = 20_000;

/** Lets so many visits of each network through in a minute; remembers the networks of the last minute or so. */
export function createNetworkLimit(perMinute: number): NetworkLimit {
  let current = new Map<string, number>();
  let startedAt = 0;

  return {
    take(network, now) {
      if (now >= startedAt + minuteMs || now < startedAt) {
        current = new Map();
        startedAt = now;
      }
      const taken = current.get(network) ?? 0;
      if (taken >= perMinute) return false;
      if (taken === 0 && current.size >= networksMax) return false;
      current.set(network, taken + 1);
      return true;
    },
  };
}
