import { triageThreatsMax } from "../../../../threats/threats/triage/batches.ts";
import { badRequest, notFound } from "../../../../platform/lib/errors.ts";
import { counted } from "../../../../platform/lib/wording.ts";
import type { Campaign } from "../../../../response/cases/campaigns/campaigns.ts";
import { attempt, parseWholeNumber } from "../../kit/fields.ts";
import { redirect, type PageResult } from "../../kit/page-result.ts";
import { campaignPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { assigneeLabel, readAssignee } from "../cases/assignee-field.ts";

/** @throws PublicError `not_found` */
export function findCampaign({ services, params }: Context<"campaigns">): Campaign {
  const campaign = services.campaigns.get(parseWholeNumber(params["number"]) ?? 0);
  if (campaign === undefined)
    throw notFound(
      "There is no campaign with this number. It may have a new one, or its threats no longer have anything in common.",
    );
  return campaign;
}

/** Assigns the threats that the page showed to an account or to nobody; those that joined since stay as they are. */
export async function assignCampaign(context: Context<"campaigns" | "cases">): Promise<PageResult> {
  const { services, account, form, by, write } = context;
  const { number } = findCampaign(context);
  const ids = form.getAll("id").slice(0, triageThreatsMax);
  const done = await attempt(async () => {
    const assignee = readAssignee(form.get("assignee") ?? "", { account, cases: services.cases });
    if (ids.length === 0) throw badRequest("No threats selected.");
    const { changed } = await write(() => services.cases.assign(ids, assignee?.seq ?? null, { by }));
    return changed === 0
      ? "The assignee is the same as before."
      : `${counted(changed, "threat is", "threats are")} assigned to ${assigneeLabel(assignee)}.`;
  });
  return redirect(campaignPath(number), done.ok ? done.value : { tone: "danger", text: done.message });
}
