import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Subject } from "../../scripts/benchmarks/figures.ts";
import { withLimits, withPerformance } from "../../scripts/benchmarks/report/manual.ts";
import { mergeRuns, type Measurements } from "../../scripts/benchmarks/report/measurements.ts";
import { steps } from "../../scripts/benchmarks/report/steps.ts";
import {
  commandTable,
  limitsTables,
  performanceTables,
  reportTable,
} from "../../scripts/benchmarks/report/tables.ts";

const subject = (name: string, figures: Subject["figures"]): Subject => ({
  name,
  program: `${name} 1.0`,
  command: name,
  figures,
});
const machine: Measurements["machine"] = {
  processor: "Example",
  processors: 2,
  memoryGiB: 4,
  kernel: "6.1",
  system: "Debian",
  bun: "1.4.5",
  load: 0.1,
  commit: "0123456",
  date: "2026-01-01",
};
const manualPage = (topic: string) =>
  readFileSync(join(import.meta.dir, "../../src/manual", `${topic}.md`), "utf8");

describe("the table of a measurement", () => {
  const table = {
    region: "start",
    heading: "Program",
    steps: ["start"],
    quantities: ["time, ms", "memory, MiB"],
  };

  test("has the median, the minimum and the maximum of all runs, and leaves out what nobody measured", () => {
    const measured = { steps: { start: [subject("bare", { "time, ms": [9, 1200.4, 14.26] })] } };
    expect(
      reportTable(measured, table)
        .split("\n")
        .map((line) => line.replaceAll(/ +/g, " ")),
    ).toEqual(["| Program | Time, ms |", "| ------- | -------------- |", "| bare | 14.3 (9–1,200) |", ""]);
  });

  test("says which of the compared programs is not installed", () => {
    const measured = { steps: { start: [subject("bare", { "time, ms": [9] })] } };
    expect(reportTable(measured, { ...table, peers: ["bare", "other"] })).toContain(
      "| other   | not installed |",
    );
  });

  test("is followed by one row for each command, with what it measured and the number of runs", () => {
    const request = { program: "bare 1.0", command: "bare", figures: { "time, ms": [1, 2, 3] } };
    const measured = { steps: { api: ["get", "list"].map((name) => ({ name, ...request })) } };
    expect(commandTable(measured, ["api"])).toEndWith("| get; list | bare 1.0 | `bare`  | 3    |\n");
  });
});

test("several runs of a benchmark are one list of figures, with the values of all runs", () => {
  const one = (name: string, ms: number[]) => subject(name, { "time, ms": ms });
  const merged = mergeRuns([[one("serve", [1, 2])], [one("serve", [3]), one("bare", [4])]]);
  expect(merged.map(({ name, figures }) => [name, figures["time, ms"]])).toEqual([
    ["serve", [1, 2, 3]],
    ["bare", [4]],
  ]);
});

test("the manual has a place for each table, and each table is of steps that exist", () => {
  const measured = Object.fromEntries(steps.map(({ id }) => [id, [subject(id, { x: [1] })]]));
  const measurements = { machine, steps: measured };
  expect(withPerformance(manualPage("performance"), measurements)).toContain(
    "| Example, 2 logical processors |",
  );
  expect(withLimits(manualPage("limits"), measurements)).toContain("limits of threats");
  const used = [...performanceTables, ...limitsTables].flatMap(({ steps: ids }) => ids);
  expect(used.filter((id) => !(id in measured))).toEqual([]);
});
