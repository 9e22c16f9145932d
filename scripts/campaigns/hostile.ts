import { join } from "node:path";
import { readOptions } from "../benchmarks/options.ts";
import { attackServer } from "./hostile/attack-server.ts";
import type { ClientFigures } from "./hostile/client-process.ts";
import { subjects, type Subject } from "./hostile/inputs.ts";
import { printReport, randomSeed, type Check } from "./report.ts";

const options = readOptions({
  benchmark: "hostile",
  script: "campaign",
  summary:
    "Sends hostile responses to the modules that look up pages, registration data and names and deliver webhooks, and\n" +
    "hostile requests, bodies and lists to the executable. Measures the longest turn of the event loop and the memory.",
  options: {
    seed: { default: null, value: "N", description: "seed of all inputs (default: a new one)" },
    seconds: { default: 60, value: "N", description: "duration of the hostile responses" },
    requests: { default: 2_000, value: "N", description: "hostile requests to the executable" },
    lists: { default: 12, value: "N", description: "hostile lists for a feed, and again for imports" },
    only: { default: null, value: "SUBJECT-N", description: "repeats one input, such as page-17, alone" },
  },
});
const seed = options.seed === null ? randomSeed() : Number(options.seed);
console.log(`seed ${seed}`);

const turnMsMax = 20;
/** Per concurrent response: the 8 MiB that it may hold, and as much garbage. */
const peakBytesPerResponseMax = 16 * 1_048_576;
const inputsPerProcess = 48;
const concurrency = 8;
/** A collection of garbage that falls into a turn counts against it. Only what repeats is caused by the input. */
const repetitions = 3;

const server = Bun.spawn([process.execPath, join(import.meta.dir, "hostile/bad-server.ts"), String(seed)], {
  stdout: "pipe",
  stderr: "inherit",
});
process.on("exit", () => server.kill());
const port = new TextDecoder().decode((await server.stdout.getReader().read()).value).trim();

if (options.only !== null) {
  const [subject = "", index = ""] = options.only.split("-");
  console.log(await run(subject as Subject, { from: Number(index), count: 1, at: 1 }));
  process.exit(0);
}

const longest = { cpuMs: 0, elapsedMs: 0, idleMs: 0, peakBytes: 0 };
const inputs = Object.fromEntries(subjects.map((subject) => [subject, 0])) as Record<Subject, number>;
const slow: string[] = [];
const large: string[] = [];
const failed: string[] = [];

const endsAt = performance.now() + options.seconds * 1_000;
for (let from = 0; performance.now() < endsAt; from += inputsPerProcess) {
  for (const subject of subjects) {
    if (server.exitCode !== null) throw new Error("the hostile server ended");
    const what = `${subject}-${from} to ${subject}-${from + inputsPerProcess - 1}`;
    try {
      const measured = await repeated(subject, from);
      inputs[subject] += inputsPerProcess;
      for (const key of ["cpuMs", "elapsedMs", "idleMs", "peakBytes"] as const)
        longest[key] = Math.max(longest[key], measured[key]);
      if (measured.cpuMs > turnMsMax) slow.push(`${what}: ${measured.cpuMs.toFixed(1)} ms`);
      if (measured.peakBytes > concurrency * peakBytesPerResponseMax)
        large.push(`${what}: ${mebibytes(measured.peakBytes)} MiB`);
    } catch (error) {
      failed.push(`${what}: ${(error as Error).message}`);
    }
  }
}
server.kill();
console.log("responses done; attacking the executable");
const attack = await attackServer({ seed, requests: options.requests, lists: options.lists });

const checks: Check[] = [
  { guarantee: `no turn of the event loop takes more than ${turnMsMax} ms of CPU time`, violations: slow },
  {
    guarantee: `${concurrency} responses at once take at most ${mebibytes(concurrency * peakBytesPerResponseMax)} MiB`,
    violations: large,
  },
  { guarantee: "no response stops a lookup", violations: failed },
  ...attack.checks,
];
const allFigures: [string, string | number][] = [
  ...Object.entries(inputs).map(([subject, count]): [string, number] => [
    `hostile responses, ${subject}`,
    count,
  ]),
  ["longest turn of the event loop, CPU time (ms)", longest.cpuMs.toFixed(1)],
  ["longest turn of the event loop, elapsed (ms)", longest.elapsedMs.toFixed(1)],
  ["longest turn of an idle event loop, elapsed (ms)", longest.idleMs.toFixed(1)],
  [`growth of the peak memory, ${concurrency} responses at once (MiB)`, mebibytes(longest.peakBytes)],
  ...attack.figures,
];
const command =
  `scripts/campaign hostile --seed ${seed} --seconds ${options.seconds} --requests ${options.requests} ` +
  `--lists ${options.lists}; one input alone: --seed ${seed} --only SUBJECT-N`;
process.exit(printReport({ figures: allFigures, checks, command }));

/** Repeats inputs that exceed a limit, and returns the least figures. */
async function repeated(subject: Subject, from: number): Promise<ClientFigures> {
  let least: ClientFigures | undefined;
  for (let count = 0; count < repetitions; count += 1) {
    const figures = await run(subject, { from, count: inputsPerProcess, at: concurrency });
    if (least === undefined || figures.cpuMs < least.cpuMs) least = figures;
    if (least.cpuMs <= turnMsMax) break;
  }
  return least!;
}

async function run(
  subject: Subject,
  { from, count, at }: { from: number; count: number; at: number },
): Promise<ClientFigures> {
  const child = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dir, "hostile/client-process.ts"),
      port,
      subject,
      ...[from, count, at].map(String),
    ],
    { stdout: "pipe", stderr: "pipe" },
  );
  const [output, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (exitCode !== 0) throw new Error(`exit code ${exitCode}: ${errors.slice(-500)}`);
  return JSON.parse(output) as ClientFigures;
}

function mebibytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(0);
}
