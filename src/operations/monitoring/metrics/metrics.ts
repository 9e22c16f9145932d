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

/** Counts by bucket, the infinite one last, not cumulative. */
export interface Histogram {
  counts: readonly number[];
  sum: number;
}

type Samples<Label extends string> = readonly (readonly [labels: Labels<Label>, value: number | Histogram])[];

/** Present value of a metric without labels, or null or undefined if it is not known; otherwise its samples. */
export type Reading<Label extends string> = [Label] extends [never]
  ? number | null | undefined
  : Samples<Label>;

/** Present values of some metrics, by their keys. */
export type Readings = { readonly [Key in keyof Definitions]?: Reading<LabelsOf<Definitions[Key]>> };

/** Returns the present values of some metrics. */
export type Collector = () => Readings | Promise<Readings>;

/** A metric with its present samples. */
export interface Collected {
  metric: Metric;
  samples: Samples<string>;
}

type Definitions = typeof definitions;
type LabelsOf<Definition> = Definition extends { labels: infer Names } ? keyof Names & string : never;

/** All metrics, in the order of the exposition and of the manual. */
export const metrics = Object.fromEntries(
  Object.entries<{ name: string; labels?: object }>(definitions).map(([key, definition]) => [
    key,
    { ...definition, labels: Object.keys(definition.labels ?? {}) },
  ]),
) as object as { readonly [Key in keyof Definitions]: Metric<LabelsOf<Definitions[Key]>> };

/** Returns the metrics that have been read, in the order of the catalogue. A value that is not known has no sample. */
export function collected(readings: Readings): Collected[] {
  return Object.entries<Metric>(metrics).flatMap(([key, metric]): Collected[] => {
    if (!(key in readings)) return [];
    const reading = readings[key as keyof Readings];
    if (typeof reading === "number") return [{ metric, samples: [[{}, reading]] }];
    return [{ metric, samples: reading ?? [] }];
  });
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
