import { jsonFields } from "../../platform/lib/key-names.ts";
import { optionalIsoTime, toIsoTime } from "../../platform/lib/clock.ts";
import type { Origins } from "./store/origins.ts";

/** Returns the origins of a threat in their public JSON form; `null` means unknown. */
export function originsJson({ certificates, urls }: Origins) {
  return {
    certificates: certificates.map((certificate) => ({
      issuer: certificate.issuer || null,
      serial: certificate.serial || null,
      not_before: optionalIsoTime(certificate.notBefore),
      ...jsonFields(certificate, "log index entryUrl"),
      verified: certificate.isVerified,
      seen_at: toIsoTime(certificate.seenAt),
    })),
    urls: urls.map((url) => jsonFields(url, "url source seenAt")),
  };
}
