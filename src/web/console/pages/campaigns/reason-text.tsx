import { reasons } from "../../../../response/cases/grouping/reasons.ts";
import type { CampaignReason } from "../../../../response/cases/campaigns/tables.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { Text } from "../../kit/name.tsx";

const valueCharactersMax = 90;

/** Something that threats have in common, in words, with its value. */
export function ReasonText({ reason: { reason, value } }: { reason: CampaignReason }) {
  return (
    <>
      {reasons[reason].name}: <Text text={visible(value, valueCharactersMax)} />
    </>
  );
}
