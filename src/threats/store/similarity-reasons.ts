import { describeReason } from "../../detection/match/reasons.ts";
import type { Reason } from "../../detection/types.ts";

/** Reasons why a name is a look-alike, as they are stored: those of the engine and those that no name shows. */
export type SimilarityReason =
  | Reason
  /** A beacon reported that its page was shown there. */
  | { code: "beacon_reported"; params: { beacon: string } }
  /** The same without the beacon, for readers who must not learn of it. */
  | { code: "copy_shown"; params: Record<string, never> }
  /** A sentence from before reasons had codes that the migration did not recognize. */
  | { code: "legacy"; params: { text: string } };

/** Renders a reason as text; names of beacons and legacy texts are not escaped. */
export function describeSimilarityReason(reason: SimilarityReason): string {
  switch (reason.code) {
    case "beacon_reported":
      return `the beacon "${reason.params.beacon}" reported that its page was opened there`;
    case "copy_shown":
      return "a copy of our page was shown to visitors there";
    case "legacy":
      return reason.params.text;
    default:
      return describeReason(reason);
  }
}

/**
 * Renders reasons as third parties may read them, each text once. Registrars pass reports on to the registrant, and
 * an attacker who learns that the page has a beacon removes it from the copy.
 */
export function describeForThirdParties(reasons: readonly SimilarityReason[]): string[] {
  const texts = reasons.map((reason) =>
    describeSimilarityReason(reason.code === "beacon_reported" ? { code: "copy_shown", params: {} } : reason),
  );
  return [...new Set(texts)];
}
