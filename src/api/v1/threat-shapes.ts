import { toIsoTime } from "../../lib/clock.ts";
import type { ThreatDetail } from "../../threats/detail.ts";
import type { ListedThreat } from "../../threats/queries.ts";

/** A threat as the list shows it (interface specification, "Threat"). */
export function toListObject(threat: ListedThreat, publicUrl: string) {
  return {
    id: threat.id,
    domain: threat.domain,
    protected_domain: threat.protectedDomain,
    type: threat.type,
    status: threat.status,
    severity: threat.severity,
    similarity: threat.similarity,
    source: threat.source,
    first_seen: toIsoTime(threat.firstSeen),
    screenshot_url: screenshotUrl(threat, publicUrl),
  };
}

/** A threat with all that is known of it. */
export function toDetailObject(threat: ThreatDetail, publicUrl: string) {
  return {
    id: threat.id,
    domain: threat.domain,
    protected_domain: threat.protectedDomain,
    type: threat.type,
    status: threat.status,
    severity: threat.severity,
    similarity: threat.similarity,
    source: threat.source,
    created_at: toIsoTime(threat.createdAt),
    screenshot_url: screenshotUrl(threat, publicUrl),
    ip_address: threat.ipAddress,
    registrar: threat.registrar,
    whois: threat.whois,
  };
}

/** Opens without a key and cannot be guessed: the token is 128 random bits. */
function screenshotUrl(
  { id, screenshotToken }: Pick<ListedThreat, "id" | "screenshotToken">,
  publicUrl: string,
): string {
  return `${publicUrl}/screenshots/${id}/${screenshotToken}`;
}
