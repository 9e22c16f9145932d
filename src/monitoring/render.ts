import { expose, type ExpositionFormat } from "./model/exposition.ts";
import { metrics } from "./catalogue/metrics.ts";
import type { Collected, Collector, Metric } from "./model/metric.ts";

/** Returns all metrics as text, in the order of the catalogue. Those that nothing collects are left out. */
export async function renderMetrics(
  collectors: readonly Collector[],
  format: ExpositionFormat,
): Promise<string> {
  const byMetric = new Map<Metric, Collected>();
  for (const collect of collectors) for (const one of await collect()) byMetric.set(one.metric, one);
  const inOrder = Object.values<Metric>(metrics).flatMap((metric) => byMetric.get(metric) ?? []);
  return expose(inOrder, format);
}
