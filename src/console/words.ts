import { toIsoTime, type Instant } from "../lib/clock.ts";
import type { Sign } from "../threats/signs.ts";

/** A value of the API as people read it: `false_positive` as `false positive`. */
export function inWords(value: string): string {
  return value.replaceAll("_", " ");
}

export const signLabels: Record<Sign, string> = {
  asks_for_secrets: "asks for a password or card",
  looks_like_original: "looks like the original",
  receives_mail: "mail server",
  newly_registered: "newly registered",
  parked: "parked",
  leads_nowhere: "leads nowhere",
};

/** The day (UTC) as it stands in an address and in a date field: `2026-01-31`. */
export function dayText(at: Instant): string {
  return toIsoTime(at).slice(0, 10);
}

/** What somebody typed with blanks, commas or line breaks between: words, names. */
export function listIn(text: string): string[] {
  return text.split(/[\s,;]+/).filter((word) => word !== "");
}
