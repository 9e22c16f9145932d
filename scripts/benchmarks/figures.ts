import { readFileSync, writeFileSync } from "node:fs";
import { basename, isAbsolute } from "node:path";
import { phishwatchExecutable } from "./phishwatch.ts";

/** A program or size that a benchmark measured. */
export interface Subject {
  /** Unique within the benchmark, for example "get, bare Bun.serve". */
  name: string;
  /** Program with its version. */
  program: string;
  command: string;
  /** By quantity with its unit, for example "CPU time, ms": one value per run. */
  figures: Record<string, readonly number[]>;
}

/** Option with which a benchmark writes its figures for `scripts/bench all` and `scripts/bench gate`. */
export const jsonOption = {
  default: null,
  value: "FILE",
  description: "also write the figures of each run to FILE",
} as const;

/** Writes the figures of a benchmark, unless the option `--json` is missing. */
export function writeFigures(file: string | null, subjects: readonly Subject[]): void {
  if (file !== null) writeFileSync(file, `${JSON.stringify({ subjects }, null, 2)}\n`);
}

/** Returns the figures that {@link writeFigures} wrote. */
export function readFigures(file: string): Subject[] {
  return (JSON.parse(readFileSync(file, "utf8")) as { subjects: Subject[] }).subjects;
}

/** Returns a command as a reader would type it: without the folders of temporary files and of this checkout. */
export function shownCommand(command: readonly string[]): string {
  return command.map((part) => (isAbsolute(part) ? basename(part) : part)).join(" ");
}

/** Returns "phishwatch" with the version and commit of the executable. */
export function phishwatchProgram(): string {
  const { stdout } = Bun.spawnSync([phishwatchExecutable, "version"]);
  return stdout.toString().trim();
}

export const bunProgram = `Bun ${Bun.version}`;
