import { expose, type ExpositionFormat } from "./metrics/exposition.ts";
import { logDropped, type Log } from "../../platform/lib/log.ts";
import { metrics, type Collected, type Collector, type Metric } from "./metrics/metrics.ts";

/**
 * Returns all metrics as text, in the order of the catalogue. Those that nothing collects are left out, and so are those of
 * a collector that fails: when the database is damaged, the others are needed most.
 */
export async function renderMetrics(
  collectors: readonly Collector[],
  format: ExpositionFormat,
  log: Log,
): Promise<string> {
  const byMetric = new Map<Metric, Collected>();
  for (const collect of collectors) {
    try {
      for (const one of await collect()) byMetric.set(one.metric, one);
    } catch (error) {
      logDropped(log, error, "server.metrics_not_collected");
    }
  }
  const inOrder = Object.values<Metric>(metrics).flatMap((metric) => byMetric.get(metric) ?? []);
  return expose(inOrder, format);
}
