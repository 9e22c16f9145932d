import type { Indicator } from "../../threats/severity/indicators.ts";

/** Formats a value of the API for people: `false_positive` as `false positive`. */
export function inWords(value: string): string {
  return value.replaceAll("_", " ");
}

export const indicatorLabels: Record<Indicator, string> = {
  asks_for_secrets: "asks for a password or card",
  looks_like_original: "looks like the original",
  receives_mail: "mail server",
  newly_registered: "newly registered",
  parked: "parked",
  leads_nowhere: "no server",
};
