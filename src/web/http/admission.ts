import type { ApiKey, ApiKeys } from "../../access/keys/keys.ts";
import type { KeyUsage } from "../../access/keys/key-usage.ts";
import { planLimits } from "../../platform/vocabulary/keys.ts";
import type { RateLimiter } from "../../access/keys/rate-limit.ts";
import type { Clock } from "../../platform/lib/clock.ts";
import { PublicError } from "../../platform/lib/errors.ts";

/**
 * Authenticates a request to `/v1` and applies the rate limit. Sets the headers that state the limit, for
 * every response.
 * @throws PublicError `unauthorized`, `rate_limit_exceeded`
 */
export type Admission = (token: string | undefined, headers: Record<string, string>) => ApiKey;

export function createAdmission({
  keys,
  limiter,
  usage,
  clock,
}: {
  keys: ApiKeys;
  limiter: RateLimiter;
  usage: Pick<KeyUsage, "note">;
  clock: Clock;
}): Admission {
  return (token, headers) => {
    const key = token === undefined ? undefined : keys.authenticate(token);
    if (key === undefined) {
      headers["www-authenticate"] = "Bearer";
      throw new PublicError("unauthorized", unauthorizedMessage(token));
    }
    const limit = planLimits[key.plan];
    const now = clock.now();
    if (limit === null) {
      usage.note(key.seq, false, now);
      return key;
    }
    const state = limiter.take(key.seq, limit, now);
    usage.note(key.seq, state.retryAfterSeconds > 0, now);
    headers["x-ratelimit-limit"] = `${state.limit}`;
    headers["x-ratelimit-remaining"] = `${state.remaining}`;
    headers["x-ratelimit-reset"] = `${state.resetSeconds}`;
    if (state.retryAfterSeconds === 0) return key;
    headers["retry-after"] = `${state.retryAfterSeconds}`;
    const seconds = state.retryAfterSeconds === 1 ? "1 second" : `${state.retryAfterSeconds} seconds`;
    throw new PublicError(
      "rate_limit_exceeded",
      `This API key may make ${limit} requests a minute; try again in ${seconds}.`,
    );
  };
}

function unauthorizedMessage(token: string | undefined): string {
  return token === undefined
    ? "Send an API key in the header Authorization: Bearer <API key>."
    : "This API key is unknown, revoked or expired.";
}
