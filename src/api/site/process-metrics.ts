import type { DeliveryLog } from "../../deliveries/delivery-log.ts";
import type { Scans } from "../../scans/scans.ts";
import type { Threats } from "../../threats/threats.ts";
import type { Traps } from "../../traps/traps.ts";
import type { SourceMetrics } from "./source-metrics.ts";
import { createMetrics, type Metrics, type MetricSources } from "./metrics.ts";

/** Counts of deliveries, and of messages to people. */
export type DeliveryMetrics = Pick<DeliveryLog, "totals" | "states"> & Pick<MetricSources, "messageTotals">;

/** Creates the metrics of this process and its services. */
export function createProcessMetrics({
  build,
  sourceMetrics,
  threats,
  deliveries,
  scans,
  traps,
  storage,
}: Pick<MetricSources, "build" | "storage"> & {
  sourceMetrics: () => SourceMetrics;
  threats: Pick<Threats, "totals">;
  deliveries: DeliveryMetrics;
  scans: Pick<Scans, "totals" | "resolverHealth">;
  traps: Pick<Traps, "totals">;
}): Metrics {
  return createMetrics({
    build,
    threatTotals: threats.totals,
    deliveryTotals: deliveries.totals,
    recipientStates: deliveries.states,
    messageTotals: deliveries.messageTotals,
    scanTotals: scans.totals,
    resolverVerdicts: () => scans.resolverHealth.latest()?.checks.map(({ verdict }) => verdict),
    trapTotals: traps.totals,
    sources: sourceMetrics,
    storage,
    memory: () => process.memoryUsage(),
    cpu: () => process.cpuUsage(),
  });
}
