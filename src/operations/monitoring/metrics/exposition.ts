import {
  collected,
  type Collected,
  type Collector,
  type Histogram,
  type Labels,
  type Metric,
  type Readings,
} from "./metrics.ts";
import { logDropped, type Log } from "../../../platform/lib/log.ts";

/** Formats of an exposition: the Prometheus text format 0.0.4, and OpenMetrics 1.0. */
export type ExpositionFormat = "prometheus" | "openmetrics";

export const contentTypes: Readonly<Record<ExpositionFormat, string>> = {
  prometheus: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/** Units that OpenMetrics names in a line of its own. */
const units = ["seconds", "bytes"];

/** Returns metrics as text. */
export function expose(all: readonly Collected[], format: ExpositionFormat): string {
  const text = all.map((one) => exposeOne(one, format)).join("");
  return format === "openmetrics" ? `${text}# EOF\n` : text;
}

function exposeOne({ metric, samples }: Collected, format: ExpositionFormat): string {
  const { name, help } = metric;
  const family = familyOf(metric, format);
  const unit = units.find((one) => family.endsWith(`_${one}`));
  const type = metric.type === "info" && format === "prometheus" ? "gauge" : metric.type;
  const lines = [
    `# HELP ${family} ${escapeHelp(help, format)}`,
    `# TYPE ${family} ${type}`,
    ...(format === "openmetrics" && unit !== undefined ? [`# UNIT ${family} ${unit}`] : []),
    ...samples.flatMap(([labels, value]) =>
      typeof value === "number" ? `${name}${labelText(labels)} ${value}` : bucketLines(metric, labels, value),
    ),
  ];
  return `${lines.join("\n")}\n`;
}

/** In OpenMetrics, a family has the name of its samples without the suffix of its type. */
function familyOf({ name, type }: Metric, format: ExpositionFormat): string {
  if (format === "prometheus") return name;
  if (type === "counter") return name.replace(/_total$/, "");
  return type === "info" ? name.replace(/_info$/, "") : name;
}

function bucketLines(
  { name, buckets = [] }: Metric,
  labels: Labels<string>,
  { counts, sum }: Histogram,
): string[] {
  let cumulated = 0;
  const lines = counts.map((count, index) => {
    cumulated += count;
    const le = index < buckets.length ? numberText(buckets[index]!) : "+Inf";
    return `${name}_bucket${labelText({ ...labels, le })} ${cumulated}`;
  });
  return [
    ...lines,
    `${name}_sum${labelText(labels)} ${sum}`,
    `${name}_count${labelText(labels)} ${cumulated}`,
  ];
}

/** OpenMetrics wants floating point numbers as limits. */
function numberText(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

function labelText(labels: Labels<string>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(String(value))}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeLabel(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function escapeHelp(text: string, format: ExpositionFormat): string {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return format === "openmetrics" ? escaped.replaceAll('"', '\\"') : escaped;
}

/**
 * Chooses the format that an `Accept` header prefers: OpenMetrics if it is accepted in version 1.0 with a higher
 * weight than plain text.
 */
export function chooseFormat(accept: string | null): ExpositionFormat {
  const offers = (accept ?? "").split(",", offersMax).map(parseOffer);
  const weightOf = (matches: (offer: Offer) => boolean) =>
    Math.max(0, ...offers.filter(matches).map(({ weight }) => weight));
  const openmetrics = weightOf(
    ({ type, version }) =>
      type === "application/openmetrics-text" && (version === undefined || version.startsWith("1.")),
  );
  const text = weightOf(
    ({ type, version }) => type === "text/plain" && (version === undefined || version === "0.0.4"),
  );
  return openmetrics > text ? "openmetrics" : "prometheus";
}
const offersMax = 20;

interface Offer {
  type: string;
  version: string | undefined;
  weight: number;
}

function parseOffer(text: string): Offer {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const valueOf = (name: string) =>
    parameters.find((parameter) => parameter.startsWith(`${name}=`))?.slice(name.length + 1);
  const weight = Number(valueOf("q") ?? 1);
  return { type, version: valueOf("version"), weight: Number.isFinite(weight) ? weight : 0 };
}

/**
 * Returns all metrics as text, in the order of the catalogue. Those that nothing collects are left out, and so are those of
 * a collector that fails: when the database is damaged, the others are needed most.
 */
export async function renderMetrics(
  collectors: readonly Collector[],
  format: ExpositionFormat,
  log: Log,
): Promise<string> {
  const readings: Readings = {};
  for (const collect of collectors) {
    try {
      Object.assign(readings, await collect());
    } catch (error) {
      logDropped(log, error, "server.metrics_not_collected");
    }
  }
  return expose(collected(readings), format);
}
