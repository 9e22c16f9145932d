/** Whether a name exists in DNS; `unknown` if no server gave a definite response. */
export type Presence = "yes" | "no" | "unknown";

/**
 * States of the site at a name, derived from facts. They are independent of the status, which is the team's assessment.
 */
export const siteStates = ["unregistered", "registered", "parked", "up", "blocked", "down", "back"] as const;
export type SiteState = (typeof siteStates)[number];

/** Where registration data comes from. */
export const registrationSources = ["rdap", "whois"] as const;

/** Registration data of a suspicious domain. A key is present only when its value is known. Times are ISO 8601. */
export interface Registration {
  source?: (typeof registrationSources)[number];
  registrar?: string;
  registrar_iana_id?: string;
  registrant_organization?: string;
  registrant_country?: string;
  created_at?: string;
  updated_at?: string;
  expires_at?: string;
  name_servers?: string[];
  status?: string[];
  dnssec?: boolean;
  abuse_email?: string;
  abuse_phone?: string;
  fetched_at?: string;
}
