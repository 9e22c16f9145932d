import type { Instant } from "../../platform/lib/clock.ts";

/** Time in the signatures of deliveries. Receivers whose library rejects old deliveries need the real one. */
export interface SigningTimes {
  /** Returns the time in the signatures of deliveries to a URL. */
  at(url: string): Instant;
  isReal(url: string): boolean;
  setReal(url: string, isReal: boolean): void;
  /** Returns the URLs whose receivers get the real time. */
  save(): readonly string[];
}

export function createSigningTimes({
  now,
  realNow,
  urls,
}: {
  /** Time of the sandbox, which the others get. */
  now: () => Instant;
  realNow: () => Instant;
  urls: readonly string[];
}): SigningTimes {
  const real = new Set(urls);
  return {
    at: (url) => (real.has(url) ? realNow() : now()),
    isReal: (url) => real.has(url),
    setReal: (url, isReal) => void (isReal ? real.add(url) : real.delete(url)),
    save: () => [...real],
  };
}
