import type { Facts } from "../../../facts/enrichment/facts/facts.ts";
import {
  inspectedScore,
  type SimilarityReason,
} from "../../../threats/threats/severity/similarity-reasons.ts";
import type { Threat } from "../../../threats/threats/store/queries.ts";
import type { PageImitation } from "../../../platform/vocabulary/page-signals.ts";
import { Card, Time } from "../kit/components.tsx";
import { inspectionsPath, pathWith } from "../kit/paths.ts";
import { scoreText, VerdictDetails } from "./verdict.tsx";

type Given = { threat: Pick<Threat, "domain" | "protectedDomain" | "reasons">; facts: Facts | undefined };

/** Whether the page of a threat imitates the protected site, and why; nothing if they were never compared. */
export function ImitationCard({ threat, facts }: Given) {
  const imitation = imitationOf({ threat, facts });
  if (imitation === undefined) return null;
  const at = facts?.page?.imitation === undefined ? undefined : facts.pageAt;
  const found = inspectedScore(threat.reasons);
  return (
    <Card
      title="Comparison with your pages"
      aside={
        at === undefined ? null : (
          <span class="faint">
            <Time at={at} relative />
          </span>
        )
      }
    >
      <VerdictDetails verdict={imitation} />
      <p class="s">
        <a href={pathWith(inspectionsPath, new URLSearchParams({ q: threat.domain }))}>
          Inspections of this host
        </a>
      </p>
      {found === undefined || imitation.imitates ? null : (
        <p class="s quiet">When the threat was recorded, the page had the score {scoreText(found)}.</p>
      )}
    </Card>
  );
}

/**
 * Returns the latest comparison of a threat's page with the protected site. Before the first one, it is derived from the
 * inspection that found the threat.
 */
export function imitationOf({
  threat: { protectedDomain, reasons },
  facts,
}: Given): PageImitation | undefined {
  const known = facts?.page?.imitation;
  if (known !== undefined) return known;
  const score = inspectedScore(reasons);
  if (score === undefined) return undefined;
  const signals = reasons.flatMap((reason) => (reason.code === "page_signal" ? [reason.params] : []));
  return { protectedDomain, score, imitates: true, signals };
}

/** Returns whether a reason is about the page, so that the comparison of the page shows it. */
export function isAboutPage({ code }: SimilarityReason): boolean {
  return code === "page_imitates" || code === "page_signal";
}
