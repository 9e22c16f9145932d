import type { Instant } from "../../platform/lib/clock.ts";

/** Time in the signatures of deliveries. Receivers whose library rejects old deliveries need the real one. */
export type SigningTimes = ReturnType<typeof createSigningTimes>;

export function createSigningTimes({
  now,
  realNow,
  urls,
}: {
  /** Time of the sandbox, which the others get. */
  now: () => Instant;
  realNow: () => Instant;
  urls: readonly string[];
}) {
  const real = new Set(urls);
  return {
    /** Returns the time in the signatures of deliveries to a URL. */
    at: (url: string) => (real.has(url) ? realNow() : now()),
    isReal: (url: string) => real.has(url),
    setReal: (url: string, isReal: boolean) => void (isReal ? real.add(url) : real.delete(url)),

    /** Returns the URLs whose receivers get the real time. */
    save: (): readonly string[] => [...real],
  };
}
