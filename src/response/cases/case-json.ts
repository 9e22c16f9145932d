import { jsonFields } from "../../platform/lib/key-names.ts";
import { optionalIsoTime } from "../../platform/lib/clock.ts";
import type { SiteState } from "../../platform/vocabulary/site.ts";
import type { Campaigns } from "./campaigns/campaigns.ts";
import type { Cases } from "./cases.ts";
import type { TakedownLists } from "./takedowns/lists.ts";

/** Public JSON form of a case. */
export interface CaseJson {
  threat_id: string;
  assignee: string | null;
  /** ISO 8601. */
  due_at: string | null;
  site_state: SiteState | null;
  /** ISO 8601. */
  site_state_since: string | null;
  reports: object[];
  campaign: object | null;
}

/** Returns the case of a threat, with its reports and its campaign; undefined if there is no such threat. */
export type CaseOf = (threatId: string) => CaseJson | undefined;

export function createCaseOf({
  campaigns,
  cases,
  takedowns,
}: {
  campaigns: Pick<Campaigns, "jsonOf">;
  cases: Pick<Cases, "of">;
  takedowns: Pick<TakedownLists, "reportsOf">;
}): CaseOf {
  return (threatId) => {
    const found = cases.of(threatId);
    if (found === undefined) return undefined;
    return {
      threat_id: threatId,
      assignee: found.assignee?.name ?? null,
      ...jsonFields(found, "dueAt siteState"),
      site_state_since: optionalIsoTime(found.siteStateAt),
      reports: takedowns.reportsOf(threatId),
      campaign: campaigns.jsonOf(found.threatSeq),
    };
  };
}
