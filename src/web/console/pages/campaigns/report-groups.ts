import type { CampaignThreat } from "../../../../response/cases/campaigns/campaigns.ts";
import type { Recipient } from "../../../../response/cases/recipients/recipient.ts";
import { recipientsOf } from "../../../../response/cases/recipients/recipients.ts";
import { recipientKey } from "../../../../response/cases/takedowns/draft.ts";
import type { Context } from "../../shell/router.ts";

/** Threats that one report to a recipient can cover. */
export interface ReportGroup {
  key: string;
  recipient: Recipient;
  threatIds: string[];
}

/** One report covers at most this many threats. */
const threatsPerReportMax = 100;
/** Finding the recipients of a threat reads its facts. */
const threatsReadMax = 200;
const groupsShownMax = 8;
const kinds: readonly Recipient["kind"][] = ["hoster", "registrar", "registry"];

/** Returns who can act on active threats of a campaign that have no open report, those for the most threats first. */
export function reportGroups(
  services: Context<"enrichment" | "takedowns" | "threats">["services"],
  threats: readonly CampaignThreat[],
): ReportGroup[] {
  const groups = new Map<string, ReportGroup>();
  const open = threats
    .filter(({ status }) => status === "active")
    // Unreported ones first, or a large campaign could not be reported to the end.
    .toSorted((a, b) => Number(a.isReported) - Number(b.isReported))
    .slice(0, threatsReadMax);
  for (const { id } of open) {
    const threat = services.threats.get(id);
    if (threat === undefined) continue;
    const facts = services.enrichment.factsOf(id)?.facts;
    const reported = new Set(
      services.takedowns.ofThreat(id).map(({ report }) => recipientKey(report.recipient)),
    );
    for (const recipient of recipientsOf({ threat, facts })) {
      const key = recipientKey(recipient);
      if (!kinds.includes(recipient.kind) || reported.has(key)) continue;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { key, recipient, threatIds: [id] });
      else if (group.threatIds.length < threatsPerReportMax) group.threatIds.push(id);
    }
  }
  return [...groups.values()]
    .toSorted((a, b) => b.threatIds.length - a.threatIds.length)
    .slice(0, groupsShownMax);
}
