import type { CampaignServices } from "../../../response/cases/campaigns/open-campaigns.ts";
import type { OpenTakedowns } from "../../../response/cases/takedowns/open-takedowns.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import type { DataRetention } from "../../retention/retention.ts";
import type { Collector } from "../metrics/metrics.ts";

/** Collects takedown reports, campaigns and the retention of the main data. */
export function caseCollector({
  campaigns,
  clock,
  dataRetention,
  takedowns,
}: {
  campaigns: Pick<CampaignServices, "behindMs" | "total">;
  clock: Pick<Clock, "now">;
  dataRetention: Pick<DataRetention, "lastRun" | "totals">;
  takedowns: Pick<OpenTakedowns, "attention" | "queue">;
}): Collector {
  return () => {
    const { queued, oldestAt } = takedowns.queue();
    const { cameBack, followUps, notDelivered } = takedowns.attention();
    const lastRun = dataRetention.lastRun();
    return {
      reportsQueued: queued,
      reportOldestQueued: oldestAt === null ? 0 : Math.max(0, clock.now() - oldestAt) / 1000,
      takedownAttention: [
        [{ reason: "not_delivered" }, notDelivered],
        [{ reason: "follow_up" }, followUps],
        [{ reason: "came_back" }, cameBack],
      ],
      campaigns: campaigns.total(),
      campaignsBehind: campaigns.behindMs() / 1000,
      retentionDeleted: Object.entries(dataRetention.totals()).map(([setting, n]) => [{ setting }, n]),
      retentionLastSuccess: lastRun && (lastRun === "completed" ? 1 : 0),
    };
  };
}
