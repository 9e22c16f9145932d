import { randomFrom } from "../../benchmarks/random.ts";
import { formatTable, median } from "../../benchmarks/statistics.ts";
import type { Check } from "../report.ts";
import { growthOf } from "./growth.ts";
import type { Sample } from "./samples.ts";

const samplesPerMinuteMin = 2;

interface Quantity {
  name: string;
  column: keyof Sample;
  unit: string;
  /** Value of a minute. Of the heap, the minimum is what collections leave. */
  ofMinute: (values: readonly number[]) => number;
  /** Whether the load keeps it at one level, so that growth is a violation. */
  isConstant: boolean;
}

const lowest = (values: readonly number[]) => Math.min(...values);
const quantities: readonly Quantity[] = [
  { name: "resident memory", column: "resident", unit: "MiB", ofMinute: median, isConstant: true },
  { name: "private memory", column: "private", unit: "MiB", ofMinute: median, isConstant: true },
  { name: "JavaScript heap", column: "heap", unit: "MiB", ofMinute: lowest, isConstant: true },
  { name: "descriptors", column: "descriptors", unit: "", ofMinute: median, isConstant: true },
  { name: "threads", column: "threads", unit: "", ofMinute: median, isConstant: true },
  { name: "write-ahead log", column: "log", unit: "MiB", ofMinute: median, isConstant: true },
  { name: "threats", column: "threats", unit: "", ofMinute: median, isConstant: true },
  { name: "pending deliveries", column: "pending", unit: "", ofMinute: median, isConstant: true },
  { name: "database", column: "database", unit: "MiB", ofMinute: median, isConstant: false },
  { name: "events", column: "events", unit: "", ofMinute: median, isConstant: false },
  { name: "deliveries", column: "deliveries", unit: "", ofMinute: median, isConstant: false },
  { name: "inspections", column: "inspections", unit: "", ofMinute: median, isConstant: false },
];

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
    ["quantity", "first", "last", "slope per hour", "95 % interval", "detectable", "correlation"],
    rows.map(({ name, unit, values, growth }) => [
      unit === "" ? name : `${name} (${unit})`,
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
  return {
    text: `${minutes.length} minutes after ${warmUpMinutes} of warm-up, values of each minute\n\n${table}\n\nWith 95 % confidence:\n  ${statements.join("\n  ")}`,
    checks: rows
      .filter(({ isConstant }) => isConstant)
      .map(({ name, unit, growth: { low, high } }) => ({
        guarantee: `${name}: no growth`,
        violations: low > 0 ? [`${short(low)} to ${short(high)} ${unit} per hour`] : [],
      })),
  };
}
