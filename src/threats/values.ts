import type { ThreatType } from "../detection/types.ts";

export type { ThreatType };

export const statuses = ["active", "resolved", "false_positive"] as const;
export type Status = (typeof statuses)[number];

export const severities = ["high", "medium", "low"] as const;
export type Severity = (typeof severities)[number];

/** How a threat was detected. */
export const sources = ["scan", "certificate_transparency", "feed", "submission", "beacon"] as const;
export type Source = (typeof sources)[number];

/** Registration data of a suspicious domain; a key is present only when its value is known. Times are ISO 8601. */
export interface Registration {
  source?: "rdap" | "whois";
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
