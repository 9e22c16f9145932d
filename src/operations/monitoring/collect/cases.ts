import type { Collector } from "../metrics/metrics.ts";
import type { Monitored } from "./services.ts";

/** Collects takedown reports, campaigns and the retention of the main data. */
export function caseCollector({
  campaigns,
  clock,
  dataRetention,
  takedowns,
}: Monitored<"campaigns" | "clock" | "dataRetention" | "takedowns">): Collector {
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
