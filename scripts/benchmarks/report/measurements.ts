import { readFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem } from "node:os";
import { join } from "node:path";
import type { Subject } from "../figures.ts";

/** The figures of several benchmarks on one machine. */
export interface Measurements {
  machine: Machine;
  /** By the identifier of the step that measured them. */
  steps: Record<string, Subject[]>;
}

export interface Machine {
  processor: string;
  processors: number;
  memoryGiB: number;
  kernel: string;
  system: string;
  bun: string;
  commit: string;
  /** Load average over one minute before the run. */
  load: number;
  /** Date of the run, as YYYY-MM-DD. */
  date: string;
}

/** Returns what a reader has to know about this machine to compare the figures with their own. */
export function describeMachine(): Machine {
  const commit = Bun.spawnSync(["git", "describe", "--always", "--dirty"], { cwd: import.meta.dir });
  const [processor] = cpus();
  return {
    processor: processor?.model ?? "unknown",
    processors: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    system: systemName(),
    bun: Bun.version,
    commit: commit.stdout.toString().trim(),
    load: loadavg()[0]!,
    date: new Date().toISOString().slice(0, 10),
  };
}

/** Returns the name of the distribution (os-release(5)). */
function systemName(): string {
  const text = readFileSync(join("/etc", "os-release"), "utf8");
  return /^PRETTY_NAME="?([^"\n]+)/m.exec(text)?.[1] ?? "Linux";
}

/** Returns the subjects of several runs of one benchmark as one: each figure has the values of all runs. */
export function mergeRuns(runs: readonly (readonly Subject[])[]): Subject[] {
  const merged = new Map<string, Subject>();
  for (const subject of runs.flat()) {
    const before = merged.get(subject.name);
    const figures = { ...before?.figures };
    for (const [quantity, values] of Object.entries(subject.figures)) {
      figures[quantity] = [...(figures[quantity] ?? []), ...values];
    }
    merged.set(subject.name, { ...subject, figures });
  }
  return [...merged.values()];
}
