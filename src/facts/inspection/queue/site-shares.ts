import { siteOf } from "../measures/addresses.ts";

/** Part of the budget of a minute that the hosts of one site may use: the rest is for all others. */
const share = 0.8;
/** Starts that are possible at once, as part of the share of a minute. */
const burst = 0.2;
const minuteMs = 60_000;
/** Sites that are kept before those without a use are removed. */
const sitesMax = 10_000;

interface Site {
  /** Time up to which its share is used. */
  usedToMs: number;
  /** Last time that was given to an address which has to wait. */
  givenMs: number;
}

/**
 * Limits how many hosts of one registrable domain are inspected: its owner makes as many of them as they like.
 */
export interface SiteShares {
  /** Takes a start. Returns 0, or how long the host has to wait in milliseconds, one after the other. */
  take(host: string, perMinute: number): number;
}

export function createSiteShares(monotonicMs: () => number): SiteShares {
  const sites = new Map<string, Site>();
  return {
    take(host, perMinute) {
      const now = monotonicMs();
      if (sites.size > sitesMax)
        for (const [name, { givenMs, usedToMs }] of sites)
          if (usedToMs <= now && givenMs <= now) sites.delete(name);
      const intervalMs = minuteMs / (share * perMinute);
      const aheadMs = burst * share * minuteMs;
      const name = siteOf(host);
      const site = sites.get(name) ?? { usedToMs: now, givenMs: now };
      sites.set(name, site);
      if (site.usedToMs - aheadMs <= now) {
        site.usedToMs = Math.max(site.usedToMs, now) + intervalMs;
        return 0;
      }
      site.givenMs = Math.max(site.givenMs, now) + intervalMs;
      return Math.ceil(site.givenMs - now);
    },
  };
}
