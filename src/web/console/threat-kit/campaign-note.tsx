import type { CampaignTies } from "../../../response/cases/campaigns/campaigns.ts";
import { counted, grouped } from "../../../platform/lib/wording.ts";
import { reasons } from "../../../response/cases/grouping/reasons.ts";
import type { CampaignReason } from "../../../response/cases/campaigns/tables.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { campaignPath } from "../kit/paths.ts";
import { Text } from "../kit/inline.tsx";

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

const valueCharactersMax = 90;

/** Something that threats have in common, in words, with its value. */
export function ReasonText({ reason: { reason, value } }: { reason: CampaignReason }) {
  return (
    <>
      {reasons[reason].name}: <Text text={visible(value, valueCharactersMax)} />
    </>
  );
}
