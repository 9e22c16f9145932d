import type { CampaignTies } from "../../../../response/cases/campaigns/campaigns.ts";
import { counted, grouped } from "../../../../platform/lib/wording.ts";
import { campaignPath } from "../../kit/paths.ts";
import { ReasonText } from "./reason-text.tsx";

/** States that a threat belongs to a campaign, and what joins it to the others. */
export function CampaignNote({ ties: { campaign, ties } }: { ties: CampaignTies }) {
  return (
    <div class="stack gap-s">
      <p>
        <a href={campaignPath(campaign.number)}>1 of {grouped(campaign.size)} in a campaign</a>
      </p>
      <ul class="stack gap-s s">
        {ties.map((reason) => (
          <li>
            <ReasonText reason={reason} /> <span class="faint">({counted(reason.threats, "threat")})</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
