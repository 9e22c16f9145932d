import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readFigures, type Subject } from "../figures.ts";
import { describeMachine, mergeRuns, type Measurements } from "./measurements.ts";
import type { Step } from "./steps.ts";

export interface MeasureOptions {
  quick: boolean;
  /** Lists of names and of protected domains. Null: generated ones. */
  names: string | null;
  brands: string | null;
  /** Called after each step, so that an interrupted run keeps the figures of the steps before. */
  onMeasured?: (measurements: Measurements) => void;
}

/** Runs the steps one after the other. A step that fails is reported on standard error and has no figures. */
export async function measureSteps(
  steps: readonly Step[],
  options: MeasureOptions,
): Promise<{ measurements: Measurements; failed: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "phishwatch-bench-all-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const measurements: Measurements = { machine: describeMachine(), steps: {} };
  const failed: string[] = [];
  for (const step of steps.filter(({ lists }) => lists !== "required" || givenLists(options).length > 0)) {
    const startedAt = performance.now();
    const subjects = await measureStep(step, options, join(folder, "figures.json"));
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    console.error(`${step.id}: ${subjects === null ? "FAILED" : "measured"} in ${seconds} s`);
    if (subjects === null) failed.push(step.id);
    else {
      measurements.steps[step.id] = subjects;
      options.onMeasured?.(measurements);
    }
  }
  return { measurements, failed };
}

async function measureStep(step: Step, options: MeasureOptions, file: string): Promise<Subject[] | null> {
  const runs: Subject[][] = [];
  for (let run = 0; run < (step.runs ?? 1); run += 1) {
    const child = Bun.spawn([...commandOf(step, options), "--json", file], {
      stdio: ["ignore", process.stderr.fd, process.stderr.fd],
      timeout: step.timeoutMinutes * 60_000,
    });
    const stopOnExit = () => child.kill();
    process.on("exit", stopOnExit);
    await child.exited;
    process.off("exit", stopOnExit);
    if (child.exitCode !== 0) return null;
    runs.push(readFigures(file));
  }
  return mergeRuns(runs);
}

function commandOf(step: Step, options: MeasureOptions): string[] {
  return [
    process.execPath,
    join(import.meta.dir, "..", `${step.benchmark}.ts`),
    ...(options.quick ? step.quick : step.options).split(" "),
    ...(step.lists === undefined ? [] : givenLists(options)),
  ];
}

function givenLists({ names, brands }: MeasureOptions): string[] {
  return [
    ...(names === null ? [] : ["--names", resolve(names)]),
    ...(brands === null ? [] : ["--brands", resolve(brands)]),
  ];
}
