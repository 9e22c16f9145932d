import type { Metric } from "../model/metric.ts";
import { series } from "../rules/promql.ts";

/** A query of a panel. `$job` and `$instance` are chosen at the top of the dashboard. */
export interface Query {
  expr: string;
  /** Name of each series, such as `{{source}}`. */
  legend: string;
}

export interface Panel {
  title: string;
  /** One sentence: what it shows, and when to act. */
  description: string;
  kind: "stat" | "timeseries" | "table";
  /** Unit of Grafana, such as `s` or `bytes`. */
  unit: string;
  queries: readonly Query[];
  /** Why the panel is empty while all is well, or while a feature is not in use. */
  emptyBecause?: string;
}

export interface Row {
  title: string;
  panels: readonly Panel[];
}

/** Labels of the chosen instances. */
export const chosen = { job: { matches: "$job" }, instance: { matches: "$instance" } };

/** Returns a selector of the series of the chosen instances. */
export function own<Label extends string>(
  metric: Metric<Label>,
  matchers: Partial<Record<Label, string | { matches: string }>> = {},
): string {
  return series<string>(metric, { ...chosen, ...matchers });
}

/** Returns the growth per second, added up by labels. */
export function rate<Label extends string>(
  metric: Metric<Label>,
  by: readonly Label[],
  matchers?: Partial<Record<Label, string | { matches: string }>>,
): string {
  return `sum by (${by.join(", ")}) (rate(${own(metric, matchers)}[$__rate_interval]))`;
}
