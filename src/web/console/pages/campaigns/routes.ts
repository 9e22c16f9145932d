import { assignCampaignPath, campaignPath, campaignsPath } from "../../kit/paths.ts";
import type { PageGroup } from "../../shell/router.ts";
import { assignCampaign, showCampaign } from "./detail.tsx";
import { listCampaigns } from "./list.tsx";

/** Campaigns: what joins their threats, and decisions on all of them. */
export const campaignPages: PageGroup = {
  nav: { section: "main", label: "Campaigns", icon: "group", keys: "g c", path: campaignsPath },
  routes: [
    { method: "GET", path: campaignsPath, permission: "read", run: listCampaigns },
    { method: "GET", path: campaignPath(":number"), permission: "read", run: showCampaign },
    { method: "POST", path: assignCampaignPath(":number"), permission: "decide", run: assignCampaign },
  ],
};
