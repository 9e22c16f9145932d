import { badRequest } from "../../../../platform/lib/errors.ts";
import { grouped } from "../../../../platform/lib/wording.ts";
import type { ThreatIndex } from "../../../../threats/index/threat-index.ts";
import { triageThreatsMax } from "../../../../threats/threats/triage/batches.ts";
import { parseWholeNumber } from "../../kit/fields.ts";
import type { Flash } from "../../kit/page-result.ts";
import type { ListRequest } from "../../threat-kit/filters.ts";

/** Returns the message for a form that selects no threats. */
export function nothingSelected(form: URLSearchParams): Flash {
  const text = form.has("campaign")
    ? "The selected campaigns have changed, and have no threats in this view. Reload the list."
    : "No threats selected.";
  return { tone: "warning", text };
}

/**
 * Returns the ids of the threats that a form of the list selects: single ones, those of campaigns that match the
 * filters, or the first `triageThreatsMax` of the view. Threats that are newer than the page are left out.
 * @throws PublicError `bad_request`: more are selected than one change may contain
 */
export async function selectedIds(
  index: Pick<ThreatIndex, "ids">,
  form: URLSearchParams,
  { filter, order }: Pick<ListRequest, "filter" | "order">,
): Promise<string[]> {
  if (form.get("all") === "yes")
    return index.ids(filter, order, { max: triageThreatsMax, lastSeq: lastSeqOf(form) });
  const ids = new Set(form.getAll("id"));
  for (const given of new Set(form.getAll("campaign"))) {
    const campaignSeq = parseWholeNumber(given);
    if (campaignSeq === undefined)
      throw badRequest("a selected campaign has no valid number; reload the list");
    // One more than permitted shows that there are too many.
    const limits = { max: triageThreatsMax + 1, lastSeq: lastSeqOf(form) };
    for (const id of await index.ids({ ...filter, campaignSeq }, order, limits)) ids.add(id);
    if (ids.size > triageThreatsMax)
      throw badRequest(
        `More than ${grouped(triageThreatsMax)} threats are selected, the maximum of one change. Select fewer campaigns, or narrow the filters.`,
      );
  }
  return [...ids];
}

function lastSeqOf(form: URLSearchParams): number {
  const seq = parseWholeNumber(form.get("last_seq"));
  if (seq === undefined) throw badRequest("the list is out of date; reload it");
  return seq;
}
