import type { Instant } from "../../../platform/lib/clock.ts";
import type { RecipientKind } from "../../../platform/vocabulary/cases.ts";

/**
 * Where the contact of a recipient comes from. `address_rdap`: registration data of the IP address, from RDAP or WHOIS.
 * `list`: a table of this program. `person`: a person typed the address.
 */
export const contactSources = ["rdap", "whois", "address_rdap", "certificate", "list", "person"] as const;

/** A company or person that can take a site down or warn its visitors, with the source of the contact. */
export interface Recipient {
  kind: RecipientKind;
  /** Text of third parties, already escaped and limited. */
  name: string;
  /** A single plain address, safe for a header. */
  email?: string;
  /** HTTPS URL of a form, or of a page that lists the contact. */
  formUrl?: string;
  /** Why this recipient is in its place of the order, as one sentence. */
  reason: string;
  /** Facts to know before writing to the recipient, as sentences. */
  note?: string;
  source: RecipientSource;
}

/** Where the contact comes from. */
export interface RecipientSource {
  from: (typeof contactSources)[number];
  /** URL of the response, or of the page that states the contact. */
  url?: string;
  /** Time of the lookup; absent for a table. */
  at?: Instant;
}
