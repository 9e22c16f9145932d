import type { ScanCounts } from "./tables.ts";

/**
 * Largest share of look-alikes without a definite result that is not reported. One or two in a hundred are normal,
 * because their name servers are broken.
 */
const unknownShareMax = 0.05;

/** Returns whether more look-alikes are unknown than is normal, so that a scan may have missed some that exist. */
export function hasManyUnknown({ candidates, unknown }: Pick<ScanCounts, "candidates" | "unknown">): boolean {
  return unknown > candidates * unknownShareMax;
}
