import type { CampaignServices } from "../../../response/cases/campaigns/open-campaigns.ts";
import type { OpenTakedowns } from "../../../response/cases/takedowns/open-takedowns.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import type { DataRetention } from "../../retention/retention.ts";
import { collected, metrics, single, type Collector } from "../metrics/metrics.ts";

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
    return [
      single(metrics.reportsQueued, queued),
      single(metrics.reportOldestQueued, oldestAt === null ? 0 : Math.max(0, clock.now() - oldestAt) / 1000),
      collected(metrics.takedownAttention, [
        [{ reason: "not_delivered" }, notDelivered],
        [{ reason: "follow_up" }, followUps],
        [{ reason: "came_back" }, cameBack],
      ]),
      single(metrics.campaigns, campaigns.total()),
      single(metrics.campaignsBehind, campaigns.behindMs() / 1000),
      collected(
        metrics.retentionDeleted,
        Object.entries(dataRetention.totals()).map(([setting, n]) => [{ setting }, n] as const),
      ),
      single(metrics.retentionLastSuccess, lastRun === undefined ? null : lastRun === "completed" ? 1 : 0),
    ];
  };
}
