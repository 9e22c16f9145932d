import type { TakedownAttention } from "../../../../response/cases/takedowns/lists.ts";
import { counted } from "../../../../platform/lib/wording.ts";
import { takedownsPath } from "../../kit/paths.ts";
import type { Concern } from "./attention.ts";

/** Lists what reports need from a person, most urgent first. */
export function takedownConcerns({ cameBack, followUps, notDelivered }: TakedownAttention): Concern[] {
  const link = { path: takedownsPath, action: "Review" };
  const concerns: Concern[] = [];
  if (cameBack > 0)
    concerns.push({
      ...link,
      tone: "bad",
      title: `${counted(cameBack, "site")} came back after a takedown`,
      cause: `${cameBack === 1 ? "It was" : "They were"} down after a report, and may need another.`,
    });
  if (notDelivered > 0)
    concerns.push({
      ...link,
      tone: "bad",
      title: `${counted(notDelivered, "report was", "reports were")} not delivered`,
      cause: "Nobody was asked to take the site down.",
    });
  if (followUps > 0)
    concerns.push({
      ...link,
      tone: "warn",
      title: `${counted(followUps, "report needs", "reports need")} a follow-up`,
      cause: "The site is not down.",
    });
  return concerns;
}
