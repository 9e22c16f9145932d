import type { Instant } from "../../lib/clock.ts";

/**
 * Returns the delay that a `Retry-After` header asks for (RFC 9110, section 10.2.3: seconds or a date), or
 * undefined if it asks for none or cannot be parsed. The header counts for the statuses 429 and 503 only. Fractions of a
 * second are rounded up: some services send them, although the RFC does not allow it.
 */
export function retryAfterMs(status: number, header: string | undefined, now: Instant): number | undefined {
  if ((status !== 429 && status !== 503) || header === undefined) return undefined;
  if (/^\d{1,9}(\.\d{1,9})?$/.test(header)) return Math.ceil(Number(header) * 1_000);
  // All three date forms of RFC 9110, section 5.6.7, start with the day of the week and are in GMT.
  const date = /^[A-Z][a-z]{2,8},? /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) || date <= now ? undefined : date - now;
}
