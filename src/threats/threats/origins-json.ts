import { optionalIsoTime, toIsoTime } from "../../platform/lib/clock.ts";
import type { Origins } from "./store/origins.ts";

/** Returns the origins of a threat in their public JSON form; `null` means unknown. */
export function originsJson({ certificates, urls }: Origins) {
  return {
    certificates: certificates.map(
      ({ issuer, serial, notBefore, log, entryUrl, index, isVerified, seenAt }) => ({
        issuer: issuer || null,
        serial: serial || null,
        not_before: optionalIsoTime(notBefore),
        log,
        index,
        entry_url: entryUrl,
        verified: isVerified,
        seen_at: toIsoTime(seenAt),
      }),
    ),
    urls: urls.map(({ url, source, seenAt }) => ({ url, source, seen_at: toIsoTime(seenAt) })),
  };
}
