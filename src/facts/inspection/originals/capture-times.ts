import { dayMs, type Instant } from "../../../platform/lib/clock.ts";

const hourMs = 3_600_000;
/** Captures are spread over this part of a day, so that many domains are not captured at once. */
const spreadMs = 4 * hourMs;
const retryDelaysMs = [hourMs, 4 * hourMs, 12 * hourMs];
/** A page that looks entirely different is captured again soon, because it has to be seen several times. */
export const waitingDelayMs = 8 * hourMs;

/** Returns the delay until the next capture: a day, give or take two hours. */
export function nextCaptureMs(address: string, now: Instant): number {
  const share = (Bun.hash.xxHash32(`${address} ${Math.floor(now / dayMs)}`) % 1_000) / 1_000;
  return Math.round(dayMs + (share - 0.5) * spreadMs);
}

/** @param failures number of captures in a row that gave no version, at least 1 */
export function retryDelayMs(failures: number): number {
  return retryDelaysMs[failures - 1] ?? dayMs;
}
