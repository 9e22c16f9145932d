export interface NetworkLimit {
  /** Takes one of the network's visits of this minute; false: there are none left. */
  take(network: string, now: number): boolean;
}

const minuteMs = 60_000;
const networksMax = 20_000;

/**
 * Lets so many visits of each network through in a minute; remembers the networks of the last minute or so. Where
 * they are too many it forgets them all and begins anew: to let no new one through would blind every trap for
 * whoever comes from twenty thousand networks, as one owner of IPv6 addresses can.
 */
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
      if (taken === 0 && current.size >= networksMax) current = new Map();
      current.set(network, taken + 1);
      return true;
    },
  };
}
