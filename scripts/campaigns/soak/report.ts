import { randomFrom } from "../../benchmarks/random.ts";
import { formatTable, median } from "../../benchmarks/statistics.ts";
import type { Check } from "../report.ts";
import { growthOf } from "./growth.ts";
import type { Sample } from "./samples.ts";

const samplesPerMinuteMin = 2;

/** Quantity that the load keeps at one level, so that growth is a violation. */
interface Quantity {
  name: string;
  column: keyof Sample;
  unit: string;
  /** Value of a minute. Of the heap, the minimum is what collections leave. */
  ofMinute: (values: readonly number[]) => number;
}

const lowest = (values: readonly number[]) => Math.min(...values);
const quantities: readonly Quantity[] = [
  { name: "resident memory", column: "resident", unit: "MiB", ofMinute: median },
  { name: "private memory", column: "private", unit: "MiB", ofMinute: median },
  { name: "JavaScript heap", column: "heap", unit: "MiB", ofMinute: lowest },
  { name: "descriptors", column: "descriptors", unit: "descriptors", ofMinute: median },
  { name: "threads", column: "threads", unit: "threads", ofMinute: median },
  { name: "write-ahead log", column: "log", unit: "MiB", ofMinute: median },
  { name: "threats", column: "threats", unit: "threats", ofMinute: median },
  { name: "pending deliveries", column: "pending", unit: "deliveries", ofMinute: median },
];
/** Data that the load adds and retention deletes once an hour, so that it has no trend. The database is in MiB. */
const data: readonly (keyof Sample)[] = ["database", "events", "deliveries", "inspections"];

/** Evaluates what grew after the warm-up. */
export function growthReport(
  samples: readonly Sample[],
  warmUpMinutes: number,
): { checks: Check[]; text: string } {
  const minutes = [...Map.groupBy(samples, (sample) => Math.floor(sample.minutes))]
    .filter(([minute, ofMinute]) => minute >= warmUpMinutes && ofMinute.length >= samplesPerMinuteMin)
    .map(([, ofMinute]) => ofMinute);
  const rows = quantities.map((quantity) => {
    const values = minutes.map((ofMinute) =>
      quantity.ofMinute(ofMinute.map((sample) => sample[quantity.column])),
    );
    return { ...quantity, values, growth: growthOf(values, 1 / 60, randomFrom(1)) };
  });
  const short = (value: number) => value.toFixed(2);
  const table = formatTable(
    ["per hour", "first", "last", "slope", "95 % interval", "detectable", "correlation"],
    rows.map(({ name, unit, values, growth }) => [
      unit === "MiB" ? `${name} (MiB)` : name,
      short(values[0]!),
      short(values.at(-1)!),
      short(growth.slope),
      `${short(growth.low)} to ${short(growth.high)}`,
      short(growth.detectable),
      short(growth.correlation),
    ]),
  );
  const statements = rows.map(({ name, unit, growth: { low, high } }) =>
    low > 0
      ? `${name}: growth of ${short(low)} to ${short(high)} ${unit} per hour`
      : `${name}: no growth beyond ${short(Math.max(0, high))} ${unit} per hour`,
  );
  const [first, last] = [minutes[0]![0]!, minutes.at(-1)!.at(-1)!];
  return {
    text: [
      `${minutes.length} minutes after ${warmUpMinutes} of warm-up; the values are those of each minute`,
      table,
      `With 95 % confidence:\n  ${statements.join("\n  ")}`,
      `Data, which retention deletes:\n  ${data.map((name) => `${name}: ${first[name]} to ${last[name]}`).join("\n  ")}`,
    ].join("\n\n"),
    checks: rows.map(({ name, unit, growth: { low, high } }) => ({
      guarantee: `${name}: no growth`,
      violations: low > 0 ? [`${short(low)} to ${short(high)} ${unit} per hour`] : [],
    })),
  };
}
