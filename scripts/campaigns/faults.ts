import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "../benchmarks/options.ts";
import { randomFrom } from "../benchmarks/random.ts";
import type { Fault } from "./faults/appliance.ts";
import { clockFaults } from "./faults/clocks.ts";
import { fileFaults } from "./faults/files.ts";
import { lockFaults } from "./faults/locks.ts";
import { nameFaults } from "./faults/names.ts";
import { printReport, randomSeed, type Check } from "./report.ts";

const options = readOptions({
  benchmark: "faults",
  script: "campaign",
  summary:
    "Breaks the environment of the executable: locks, files, disk, descriptors, name servers, resolvers and the clock.\n" +
    "Each fault has a server of its own. Needs Linux, and the right to create namespaces for mounts and the network.",
  options: {
    seed: { default: null, value: "N", description: "seed of all random choices (default: a new one)" },
    only: { default: null, value: "TEXT", description: "tries only the faults whose name contains this" },
  },
});

const insideVariable = "PHISHWATCH_CAMPAIGN_INSIDE";
if (process.env[insideVariable] === undefined) {
  // Port 53, /etc/resolv.conf and the mounts are its own, and disappear with it.
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? [] : ["--user", "--map-root-user"];
  const child = Bun.spawn(
    ["unshare", ...user, "--net", "--mount", "--", process.execPath, ...process.argv.slice(1)],
    { env: { ...process.env, [insideVariable]: "1" }, stdio: ["inherit", "inherit", "inherit"] },
  );
  process.exit(await child.exited);
}
for (const command of [
  ["ip", "link", "set", "lo", "up"],
  ["mount", "--make-rprivate", "/"],
]) {
  const { exitCode, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr.toString()}`);
}

const seed = options.seed === null ? randomSeed() : Number(options.seed);
console.log(`seed ${seed}`);
const faults = [...lockFaults, ...fileFaults, ...nameFaults, ...clockFaults].filter(({ name }) =>
  name.includes(options.only ?? ""),
);
const checks: Check[] = [];
const skipped: string[] = [];
for (const [index, fault] of faults.entries()) {
  const reason = fault.unavailable?.();
  if (reason === undefined) checks.push(await attempt(fault, index));
  else skipped.push(`${fault.name}: ${reason}`);
}
for (const text of skipped) console.log(`skipped: ${text}`);
const figures: [string, string | number][] = [
  ["faults", checks.length],
  ["faults that the server stands", checks.filter(({ violations }) => violations.length === 0).length],
  ["skipped", skipped.length],
];
process.exit(printReport({ figures, checks, command: `scripts/campaign faults --seed ${seed}` }));

async function attempt(fault: Fault, index: number): Promise<Check> {
  const folder = mkdtempSync(join(tmpdir(), "phishwatch-faults-"));
  const startedAt = performance.now();
  const random = randomFrom(seed + index);
  let violations: string[];
  try {
    violations = await fault.run({ folder, random: random.below });
  } catch (error) {
    violations = [String(error)];
  } finally {
    // Mounts first, and the processes that a failed attempt left.
    Bun.spawnSync(["sh", "-c", `umount -l "${folder}"/disk 2>/dev/null`]);
    rmSync(folder, { recursive: true, force: true });
  }
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(`${violations.length === 0 ? "held" : "BROKEN"}  ${fault.name} (${seconds} s)`);
  return { guarantee: fault.name, violations };
}
