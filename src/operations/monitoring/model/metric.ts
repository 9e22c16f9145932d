/**
 * Definition of a metric. Everything that names a metric (the exposition, the manual, alert rules, the dashboard) refers
 * to its definition, so that a misspelled name does not compile.
 */
export interface Metric<Label extends string = string> {
  /** Name of the samples, with `_total` for a counter and `_info` for an info. */
  name: string;
  type: "counter" | "gauge" | "histogram" | "info";
  help: string;
  labels: readonly Label[];
  /** Upper limits of the buckets of a histogram, without the last one, which is infinite. */
  buckets?: readonly number[];
}

export type Labels<Label extends string> = Readonly<Record<Label, string | number>>;
export type Sample = readonly [labels: Labels<string>, value: number];

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

type Definition<Label extends string> = Omit<Metric<Label>, "type" | "labels" | "buckets"> & {
  labels?: readonly Label[];
};

/** Defines a counter, which only increases until the process ends. */
export function counter<const Label extends string = never>({ name, help, labels = [] }: Definition<Label>) {
  return { name, type: "counter", help, labels } satisfies Metric<Label>;
}

export function gauge<const Label extends string = never>({ name, help, labels = [] }: Definition<Label>) {
  return { name, type: "gauge", help, labels } satisfies Metric<Label>;
}

/** Defines a metric whose value is always 1, and whose labels are what it says. */
export function info<const Label extends string>({ name, help, labels = [] }: Definition<Label>) {
  return { name, type: "info", help, labels } satisfies Metric<Label>;
}

export function histogram<const Label extends string = never>({
  name,
  help,
  labels = [],
  buckets,
}: Definition<Label> & { buckets: readonly number[] }) {
  return { name, type: "histogram", help, labels, buckets } satisfies Metric<Label>;
}

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
