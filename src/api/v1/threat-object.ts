import { Type } from "@sinclair/typebox";
import { choice, closed, orNull, time } from "../../vocabulary/schemas.ts";
import { toIsoTime } from "../../lib/clock.ts";
import type { ThreatDetail } from "../../threats/detail.ts";
import type { ListedThreat } from "../../threats/queries.ts";
import { threatFields } from "../../vocabulary/threat-fields.ts";
import { registrationSources } from "../../vocabulary/registration.ts";

const screenshotField = Type.String({
  format: "uri",
  description:
    "Screenshot of the site or, if there is none, an image that states why. Opens without an API key and cannot be guessed.",
});

const whois = Type.Object(
  {
    source: Type.Optional(choice(registrationSources, { description: "Protocol that supplied the data." })),
    registrar: Type.Optional(Type.String()),
    registrar_iana_id: Type.Optional(Type.String()),
    registrant_organization: Type.Optional(Type.String()),
    registrant_country: Type.Optional(Type.String()),
    created_at: Type.Optional(time("When the domain was registered.")),
    updated_at: Type.Optional(time("When the registration was last changed.")),
    expires_at: Type.Optional(time("When the registration expires.")),
    name_servers: Type.Optional(Type.Array(Type.String())),
    status: Type.Optional(Type.Array(Type.String())),
    dnssec: Type.Optional(Type.Boolean()),
    abuse_email: Type.Optional(Type.String()),
    abuse_phone: Type.Optional(Type.String()),
    fetched_at: Type.Optional(time("When the data was fetched.")),
  },
  { ...closed, description: "Registration data. A key is present only if its value is known." },
);

export const threatListItem = Type.Object(
  {
    ...threatFields,
    first_seen: time("The earliest time at which any source saw the domain."),
    screenshot_url: screenshotField,
  },
  { ...closed, $id: "ThreatListItem", description: "A threat in the list." },
);

export const threatDetail = Type.Object(
  {
    ...threatFields,
    created_at: time("When the record was written."),
    screenshot_url: screenshotField,
    ip_address: orNull(
      Type.String({ description: "IP address of the suspicious domain; null while unknown." }),
    ),
    registrar: orNull(
      Type.String({ description: "Registrar of the suspicious domain; null while unknown." }),
    ),
    whois,
  },
  { ...closed, $id: "ThreatDetail", description: "A threat with its known facts." },
);

/** Returns a threat as the list shows it. */
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

/** Returns a threat with its known facts. */
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

/** Returns a URL that opens without a key and cannot be guessed: the token is 128 random bits. */
function screenshotUrl(
  { id, screenshotToken }: Pick<ListedThreat, "id" | "screenshotToken">,
  publicUrl: string,
): string {
  return `${publicUrl}/screenshots/${id}/${screenshotToken}`;
}
