import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../../benchmarks/random.ts";
import { runCommand } from "../server.ts";
import type { Ledger } from "./clients.ts";

export interface ImportRuns {
  started: number;
  killed: number;
  lists: string[];
}

const harmlessNames = 20_000;
const lookAlikesPerList = 150;
const killedShare = 2 / 3;
const killAfterMsMax = 800;
/** 128 and the number of SIGKILL. */
const killedExitCode = 137;

/** Imports lists in processes of their own until the campaign ends, and kills two of three. */
export async function runImports({
  ledger,
  random,
  folder,
  config,
  isStopped,
}: {
  ledger: Ledger;
  random: Random;
  folder: string;
  config: string;
  isStopped: () => boolean;
}): Promise<ImportRuns> {
  const runs: ImportRuns = { started: 0, killed: 0, lists: [] };
  while (!isStopped()) {
    const list = join(folder, `import-${runs.started}.txt`);
    const every = Math.floor(harmlessNames / lookAlikesPerList);
    const lines = Array.from({ length: harmlessNames }, (_, index) => {
      if (index % every !== 0) return `${random.text("abcdefghijklmnopqrstuvwxyz", 12)}.net`;
      const name = `example-bank-import${runs.started}x${index}.com`;
      ledger.sent.add(name);
      return name;
    });
    writeFileSync(list, `${lines.join("\n")}\n`);
    runs.lists.push(list);
    runs.started += 1;
    const killAfterMs = random.unit() < killedShare ? random.below(killAfterMsMax) : undefined;
    const { exitCode } = await runCommand(["import", list, "--config", config], {
      onStart(child) {
        if (killAfterMs !== undefined) setTimeout(() => child.kill("SIGKILL"), killAfterMs);
      },
    });
    if (exitCode === killedExitCode) runs.killed += 1;
  }
  return runs;
}

/** Runs every list to its end, as an operator does after a crash. Returns the output if that fails. */
export async function finishImports(lists: readonly string[], config: string): Promise<string[]> {
  if (lists.length === 0) return [];
  const { exitCode, output } = await runCommand(["import", ...lists, "--config", config]);
  return exitCode === 0 ? [] : [`exit ${exitCode}: ${output.trim().slice(-300)}`];
}
