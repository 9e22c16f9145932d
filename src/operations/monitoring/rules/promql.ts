import type { Metric } from "../model/metric.ts";

/** Conditions on labels: a text that must be equal, or a regular expression that must match. */
type Matchers<Label extends string> = Readonly<
  Partial<Record<Label | AddedLabel, string | { matches: string }>>
>;
/** Labels that Prometheus adds when it scrapes. */
type AddedLabel = "job" | "instance";

/** Returns a selector of the series of a metric, such as `phishwatch_resolvers{verdict="honest"}`. */
export function series<Label extends string>(metric: Metric<Label>, matchers?: Matchers<Label>): string {
  return select(metric.name, matchers ?? {});
}

/** Returns a selector of a part of a histogram. */
export function histogramSeries<Label extends string>(
  metric: Metric<Label> & { type: "histogram" },
  part: "bucket" | "count" | "sum",
  matchers?: Matchers<Label>,
): string {
  return select(`${metric.name}_${part}`, matchers ?? {});
}

function select(name: string, matchers: Matchers<string>): string {
  const pairs = Object.entries(matchers).map(([label, wanted]) =>
    typeof wanted === "object"
      ? `${label}=~${JSON.stringify(wanted.matches)}`
      : `${label}=${JSON.stringify(wanted)}`,
  );
  return pairs.length === 0 ? name : `${name}{${pairs.join(",")}}`;
}
