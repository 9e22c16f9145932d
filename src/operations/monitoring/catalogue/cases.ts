import { counter, gauge } from "../model/metric.ts";

/** Metrics of takedown reports, campaigns and the retention of the main data. */
export const caseMetrics = {
  reportsQueued: gauge({
    name: "phishwatch_takedown_reports_queued",
    help: "Takedown reports that wait for an attempt to send them as email.",
  }),
  reportOldestQueued: gauge({
    name: "phishwatch_takedown_oldest_queued_seconds",
    help: "Time since the oldest of these reports was written, else 0.",
  }),
  takedownAttention: gauge({
    name: "phishwatch_takedown_attention",
    help: "Takedowns that need a person, by reason: reports that were not delivered (not_delivered), follow-ups that are due (follow_up), sites that are up again (came_back).",
    labels: ["reason"],
  }),
  campaigns: gauge({ name: "phishwatch_campaigns", help: "Campaigns of two or more threats." }),
  campaignsBehind: gauge({
    name: "phishwatch_campaigns_behind_seconds",
    help: "Time for which campaigns have not been in step with the threats, else 0.",
  }),
  retentionDeleted: counter({
    name: "phishwatch_retention_deleted_total",
    help: "Threats, screenshots and audit entries that the retention has deleted, by setting.",
    labels: ["setting"],
  }),
  retentionLastSuccess: gauge({
    name: "phishwatch_retention_last_success",
    help: "1 if the last hourly run of the retention was completed, 0 if it failed. Absent before the first one.",
  }),
};
