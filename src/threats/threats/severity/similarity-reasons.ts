import { describeReason } from "../../../engines/detection/match/reasons.ts";
import type { NameMatch, Reason } from "../../../engines/detection/types.ts";
import {
  describeSignal,
  type PageImitation,
  type Signal,
} from "../../../platform/vocabulary/page-signals.ts";
import { withoutMailboxes } from "./mailboxes.ts";
import type { ThreatType } from "../../../platform/vocabulary/threats.ts";

/** Reasons for the similarity, as they are stored: from the detection, and from other evidence than the name. */
export type SimilarityReason =
  | Reason
  /** A beacon reported that its page was shown there. */
  | { code: "beacon_reported"; params: { beacon: string } }
  /** The same without the beacon, for readers who must not learn of it. */
  | { code: "copy_shown"; params: Record<string, never> }
  /** An inspection found that the page imitates the protected brand; each signal that shows it follows. */
  | { code: "page_imitates"; params: { score: number } }
  | { code: "page_signal"; params: Signal }
  /** The name of a cloned site is a look-alike, too; its reasons follow. */
  | { code: "name_resembles"; params: { type: ThreatType; similarity: number } }
  /** A sentence from before reasons had codes that the migration did not recognize. */
  | { code: "legacy"; params: { text: string } };

/** A match of the detection, or of type `cloned_site` a page that imitates a protected domain. */
export interface Match extends Omit<NameMatch, "rule" | "type"> {
  type: ThreatType;
}

/** Maximum number of signals that are kept as reasons. */
const signalsMax = 8;

/** Returns the reasons that the inspection of an imitating page gives: the score, and the signals that speak for it. */
export function pageReasons({
  score,
  signals,
}: Pick<PageImitation, "score" | "signals">): SimilarityReason[] {
  const incriminating = signals.filter(({ points }) => points > 0).toSorted((a, b) => b.points - a.points);
  return [
    { code: "page_imitates", params: { score } },
    ...incriminating
      .slice(0, signalsMax)
      .map((signal): SimilarityReason => ({ code: "page_signal", params: signal })),
  ];
}

/** Returns the reasons that the name of a cloned site gives in addition. */
export function nameReasons({ type, similarity, reasons }: Match): SimilarityReason[] {
  return [{ code: "name_resembles", params: { type, similarity } }, ...reasons];
}

/** Returns the score with which an inspection put the threat on record; undefined: none did. */
export function inspectedScore(reasons: readonly SimilarityReason[]): number | undefined {
  return reasons.find((reason) => reason.code === "page_imitates")?.params.score;
}

/** Renders a reason as text; names of beacons and legacy texts are not escaped. */
export function describeSimilarityReason(reason: SimilarityReason): string {
  switch (reason.code) {
    case "beacon_reported":
      return `the beacon "${reason.params.beacon}" reported that its page was opened there`;
    case "copy_shown":
      return "a copy of our page was shown to visitors there";
    case "page_imitates":
      return `the page imitates the protected brand (score ${reason.params.score})`;
    case "page_signal":
      return describeSignal(reason.params);
    case "name_resembles":
      return `the name is a look-alike, too (${reason.params.type.replaceAll("_", " ")}, similarity ${reason.params.similarity})`;
    case "legacy":
      return reason.params.text;
    default:
      return describeReason(reason);
  }
}

/** Returns the stable code of a reason; for a signal of the page, the code of the signal. */
export function similarityCode(reason: SimilarityReason): string {
  return reason.code === "page_signal" ? reason.params.code : reason.code;
}

/**
 * Returns reasons that do not name a beacon, for third parties. Registrars pass reports on to the registrant, and an
 * attacker who learns that the page has a beacon removes it from the copy.
 */
export function withoutBeacons(reasons: readonly SimilarityReason[]): SimilarityReason[] {
  return reasons.map((reason) =>
    reason.code === "beacon_reported" ? { code: "copy_shown", params: {} } : reason,
  );
}

/** Renders reasons as third parties may read them, each text once and without mailboxes in addresses. */
export function describeForThirdParties(reasons: readonly SimilarityReason[]): string[] {
  return [...new Set(withoutBeacons(reasons).map(describeSimilarityReason).map(withoutMailboxes))];
}
