export type NetworkLimit = ReturnType<typeof createNetworkLimit>;

const minuteMs = 60_000;
const networksMax = 20_000;

/**
 * Creates a limit of visits per network and minute. If there are too many networks to remember, it forgets all of
 * them. Rejecting new networks instead would let the owner of one IPv6 prefix, who can visit from 20,000 networks,
 * disable every trap.
 */
export function createNetworkLimit(settings: { hitsPerMinute: number }) {
  let taken = new Map<string, number>();
  let startedAt = 0;

  return {
    /** Counts a visit of the network; returns false if the network has used up its visits of this minute. */
    take(network: string, now: number) {
      if (now >= startedAt + minuteMs || now < startedAt) {
        taken = new Map();
        startedAt = now;
      }
      const count = taken.get(network) ?? 0;
      if (count >= settings.hitsPerMinute) return false;
      if (count === 0 && taken.size >= networksMax) taken = new Map();
      taken.set(network, count + 1);
      return true;
    },
  };
}
