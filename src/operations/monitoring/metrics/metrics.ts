import definitions from "./metrics.json" with { type: "json" };

/** Definition of a metric. The exposition and the manual are generated from it. */
export interface Metric<Label extends string = string> {
  /** Name of the samples, with `_total` for a counter and `_info` for an info. */
  name: string;
  /** A counter only increases until the process ends. An info is always 1, and its labels are what it says. */
  type: "counter" | "gauge" | "histogram" | "info";
  help: string;
  labels: readonly Label[];
  /** Upper limits of the buckets of a histogram, without the last one, which is infinite. */
  buckets?: readonly number[];
}

export type Labels<Label extends string> = Readonly<Record<Label, string | number>>;
type Sample = readonly [labels: Labels<string>, value: number];

/** Counts by bucket, the infinite one last, not cumulative. */
export interface Histogram {
  counts: readonly number[];
  sum: number;
}

/** A metric with its present samples. */
export interface Collected {
  metric: Metric;
  samples: readonly Sample[];
  histograms: readonly (readonly [labels: Labels<string>, histogram: Histogram])[];
}

/** Returns the present samples of some metrics. */
export type Collector = () => readonly Collected[] | Promise<readonly Collected[]>;

type Definitions = typeof definitions;
type LabelsOf<Definition> = Definition extends { labels: infer Names } ? keyof Names & string : never;

/** All metrics, in the order of the exposition and of the manual. */
export const metrics = Object.fromEntries(
  Object.entries<{ name: string; labels?: object }>(definitions).map(([key, definition]) => [
    key,
    { ...definition, labels: Object.keys(definition.labels ?? {}) },
  ]),
) as object as { readonly [Key in keyof Definitions]: Metric<LabelsOf<Definitions[Key]>> };

/** Returns the samples of a metric. */
export function collected<Label extends string>(
  metric: Metric<Label>,
  samples: readonly (readonly [labels: Labels<Label>, value: number])[],
): Collected {
  return { metric, samples: samples as readonly Sample[], histograms: [] };
}

/** Returns the only sample of a metric without labels; none for a value that is not known. */
export function single(metric: Metric<never>, value: number | null | undefined): Collected {
  return collected(metric, value === null || value === undefined ? [] : [[{}, value]]);
}

export function collectedHistograms<Label extends string>(
  metric: Metric<Label>,
  histograms: readonly (readonly [labels: Labels<Label>, histogram: Histogram])[],
): Collected {
  return { metric, samples: [], histograms: histograms as Collected["histograms"] };
}

/**
 * Turns a stored count, which falls when old rows are deleted, into one that only increases while the process runs. What
 * is deleted between two calls is not missing: only a fall is ignored, and growth continues from there.
 */
export function createIncreasing(): (key: string, stored: number) => number {
  const known = new Map<string, { last: number; total: number }>();
  return (key, stored) => {
    const before = known.get(key) ?? { last: 0, total: 0 };
    const total = before.total + Math.max(0, stored - before.last);
    known.set(key, { last: stored, total });
    return total;
  };
}
