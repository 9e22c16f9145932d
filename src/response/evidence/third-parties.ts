import type { Facts } from "../../facts/enrichment/facts/facts.ts";
import { combinedRules } from "../../facts/inspection/comparison/combined-rules.ts";
import { withoutMailboxes } from "../../threats/threats/severity/mailboxes.ts";
import {
  describeForThirdParties,
  type SimilarityReason,
} from "../../threats/threats/severity/similarity-reasons.ts";
import { shortReasons } from "../../threats/threats/severity/explain-severity.ts";
import { describeSeverityReason } from "../../threats/threats/severity/severity-reasons.ts";
import type { Threat } from "../../threats/threats/store/queries.ts";
import { describeSignal, type PageImitation } from "../../platform/vocabulary/page-signals.ts";

const observationsMax = 6;
const combinedCodes = new Set(combinedRules.map(({ code }) => code));

/** Returns the facts as third parties may read them. */
export function factsForThirdParties(facts: Facts): Facts {
  const { page } = facts;
  if (page === undefined) return facts;
  const redirects = page.redirects.map(withoutMailboxes);
  return { ...facts, page: { ...page, finalUrl: withoutMailboxes(page.finalUrl), redirects } };
}

/**
 * Returns the reasons for which a threat was recorded as third parties may read them. Those about its page are left out if
 * the facts have a later comparison.
 */
export function reasonsForThirdParties(
  reasons: readonly SimilarityReason[],
  facts: Facts | undefined,
): string[] {
  const isCompared = facts?.page?.imitation !== undefined;
  return describeForThirdParties(
    reasons.filter(({ code }) => code !== "page_imitates" && !(isCompared && code === "page_signal")),
  );
}

/** Returns the reasons for a severity as third parties may read them: without the score of the page; see `observationsOf`. */
export function severityForThirdParties({
  severityReasons,
  verified,
}: Pick<Threat, "severityReasons" | "verified">) {
  return {
    severity_summary: shortReasons({ severityReasons, verified }),
    severity_reasons: severityReasons.map((reason) =>
      reason.code === "page_imitates"
        ? "the page imitates the protected brand"
        : describeSeverityReason(reason),
    ),
    severity_reason_codes: severityReasons.map(({ code }) => code),
  };
}

/**
 * Returns in words what shows that a page imitates the protected site, the strongest first. Neither the score nor the
 * weights: registrars pass reports on to the registrant. What several observations mean together is left out: an abuse desk
 * has to see it for itself.
 */
export function observationsOf(
  { signals }: Pick<PageImitation, "signals">,
  max = observationsMax,
): { code: string; text: string }[] {
  return signals
    .filter(({ code, points }) => points > 0 && !combinedCodes.has(code))
    .toSorted((a, b) => b.points - a.points)
    .slice(0, max)
    .map((signal) => ({ code: signal.code, text: withoutMailboxes(describeSignal(signal)) }));
}
