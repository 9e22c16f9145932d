import type { SeverityReason } from "../../threats/severity/severity-reasons.ts";

/** Short names of what the facts show, the strongest first. */
const labels = [
  ["copy_seen_in_use", "Copy of the protected page in use"],
  ["asks_for_secrets", "Asks for a password or card"],
  ["looks_like_original", "Looks like the original"],
  ["redirects_to_protected", "Redirects to the original"],
  ["receives_mail", "Mail server"],
  ["newly_registered", "Newly registered"],
  ["names_brand", "Names the brand"],
  ["sinkholed", "Taken over by a sinkhole"],
  ["parked", "Parked"],
  ["unrelated_page", "Unrelated page"],
  ["leads_nowhere", "No server"],
  ["not_in_dns", "Not in DNS"],
] as const satisfies readonly (readonly [SeverityReason["code"], string])[];
const shownMax = 2;

/** Returns the strongest evidence that the facts show, for a row of a list; empty if only the name is known. */
export function strongestEvidence(severityReasons: readonly SeverityReason[]): string[] {
  return labels
    .flatMap(([code, label]) => {
      const reason = severityReasons.find((one) => one.code === code);
      if (reason === undefined) return [];
      return reason.code === "asks_for_secrets" ? secretsOf(reason.params) : label;
    })
    .slice(0, shownMax);
}

function secretsOf({ password, card }: { password: boolean; card: boolean }): string {
  if (password && card) return "Asks for a password and a card";
  return card ? "Asks for a card" : "Asks for a password";
}
