import { formatTable } from "../benchmarks/statistics.ts";

/** Guarantee that a campaign checked, with the violations that it found. */
export interface Check {
  guarantee: string;
  violations: readonly string[];
}

const violationsShownMax = 5;

/** Returns a seed for a run without `--seed`. */
export const randomSeed = (): number => crypto.getRandomValues(new Uint32Array(1))[0]! >>> 1;

/**
 * Prints the figures, and the guarantees that do not hold, with the command that repeats the run.
 * @returns the exit code: 1 if a guarantee does not hold.
 */
export function printReport({
  figures,
  checks,
  command,
}: {
  figures: readonly (readonly [name: string, value: string | number])[];
  checks: readonly Check[];
  command: string;
}): number {
  console.log(
    `\n${formatTable(
      ["figure", "value"],
      figures.map(([name, value]) => [name, String(value)]),
    )}\n`,
  );
  const rows = checks.map(({ guarantee, violations }) => [guarantee, String(violations.length)]);
  console.log(formatTable(["guarantee", "violations"], rows));
  const broken = checks.filter(({ violations }) => violations.length > 0);
  for (const { guarantee, violations } of broken) {
    console.log(`\n${guarantee}:`);
    for (const violation of violations.slice(0, violationsShownMax)) console.log(`  ${violation}`);
  }
  if (broken.length === 0) return 0;
  console.log(`\nTo repeat the run: ${command}`);
  return 1;
}
