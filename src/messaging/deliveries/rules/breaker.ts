/** Consecutive failures after which the breaker holds a recipient's deliveries. */
export const breakerFailures = 3;
const probeDelayMsMin = 30_000;
const probeDelayMsMax = 10 * 60_000;
/** A longer outage is probed more rarely. */
const outageShare = 1 / 2;

/**
 * Returns the delay until the next probe of a recipient whose deliveries are held: half the time for which it has been
 * failing, within 30 seconds and 10 minutes.
 */
export function probeDelayMs(failingForMs: number): number {
  return Math.min(probeDelayMsMax, Math.max(probeDelayMsMin, Math.round(failingForMs * outageShare)));
}

/** Returns the latest time at which a probe can be due. */
export function latestProbe(now: number): number {
  return now + probeDelayMsMax;
}
