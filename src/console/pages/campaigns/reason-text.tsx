import { reasons } from "../../../cases/campaigns/reasons.ts";
import type { CampaignReason } from "../../../cases/campaigns/tables.ts";
import { visible } from "../../../lib/safe-text.ts";
import { Text } from "../../kit/name.tsx";

const valueCharactersMax = 90;

/** Something that threats have in common, in words, with its value. */
export function ReasonText({ reason: { reason, value } }: { reason: CampaignReason }) {
  return (
    <>
      {reasons[reason].name}: <Text text={shownValue(value)} />
    </>
  );
}

/** Returns the same as plain text. */
export function reasonText({ reason, value }: CampaignReason): string {
  return `${reasons[reason].name}: ${shownValue(value)}`;
}

function shownValue(value: string): string {
  return visible(value, valueCharactersMax);
}
