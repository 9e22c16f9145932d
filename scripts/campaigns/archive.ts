import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listFolder } from "../../src/engines/archive/files/folder.ts";
import { readFolder } from "../../src/engines/archive/files/reading.ts";
import { tryLock } from "../../src/platform/database/lock.ts";
import { maintain } from "../../src/engines/archive/maintenance/maintain.ts";
import { readOptions } from "../benchmarks/options.ts";
import { randomFrom } from "../benchmarks/random.ts";
import { printReport, randomSeed, type Check } from "./report.ts";

const options = readOptions({
  benchmark: "archive",
  script: "campaign",
  summary:
    "Kills processes that add names to an archive and maintain it, at random times, and checks that no flushed name is\n" +
    "lost or stored twice. Then damages its files, and checks that reading and maintaining go on.",
  options: {
    seed: { default: null, value: "N", description: "seed of all random choices (default: a new one)" },
    kills: { default: 100, value: "N", description: "processes to kill" },
    damages: { default: 200, value: "N", description: "times that a file is damaged" },
  },
});

const dayMs = 86_400_000;
const killMsMax = 120;
const limits = { bytesMax: 2 ** 30, ageMsMax: 90 * dayMs };
const script = join(import.meta.dir, "../../test/support/archive-process.ts");
const seed = options.seed === null ? randomSeed() : Number(options.seed);
console.log(`seed ${seed}`);
const random = randomFrom(seed);
const top = mkdtempSync(join(tmpdir(), "phishwatch-campaign-"));
const databasePath = join(top, "phishwatch.db");
const folder = `${databasePath}.archive`;
try {
  process.exitCode = await run();
} finally {
  rmSync(top, { recursive: true });
}

async function run(): Promise<number> {
  const flushed = new Set<string>();
  let next = 0;
  let duringMaintenance = 0;
  for (let kill = 0; kill < options.kills; kill++) {
    const end = await addAndKill(next);
    for (let number = next; number < end; number++) flushed.add(`name-${number}.example`);
    // Names that were not flushed may have been stored all the same.
    next = end + 1000;
    const { journals, leftovers } = listFolder(folder);
    if (leftovers.length > 0 || journals.some(({ state }) => state === "sealed")) duringMaintenance++;
  }
  const afterKills = await compare(flushed);
  const now = Date.now() + 2 * dayMs;
  await maintain({ folder, limits, now, missingBytes: 0 }, tryLock);
  const afterMaintenance = await compare(flushed);
  const checks: Check[] = [
    check("every name that was flushed can be read after the kills", afterKills.lost),
    check("every name that was flushed can be read after the next maintenance", afterMaintenance.lost),
    check("no name is stored twice after the next maintenance", afterMaintenance.repeated),
    check("no file is left behind", listFolder(folder).leftovers),
    await damageFiles(now),
  ];
  const command = `scripts/campaign archive --seed ${seed} --kills ${options.kills} --damages ${options.damages}`;
  return printReport({
    command,
    figures: [
      ["processes killed", options.kills],
      ["killed during a maintenance", duringMaintenance],
      ["names flushed", flushed.size],
      ["files damaged", options.damages],
    ],
    checks,
  });
}

/** Returns the number below which all names were flushed. */
async function addAndKill(first: number): Promise<number> {
  const child = Bun.spawn([process.execPath, script, databasePath, String(first), "maintain"], {
    stdout: "pipe",
    stderr: "inherit",
  });
  let text = "";
  let timer: Timer | undefined;
  for await (const chunk of child.stdout) {
    text += Buffer.from(chunk).toString();
    timer ??= setTimeout(() => child.kill("SIGKILL"), random.below(killMsMax));
  }
  await child.exited;
  return Number(text.split("\n").at(-2));
}

async function compare(flushed: ReadonlySet<string>): Promise<{ lost: string[]; repeated: string[] }> {
  const found = new Set<string>();
  const repeated: string[] = [];
  for (const name of await readNames()) {
    if (found.has(name)) repeated.push(name);
    found.add(name);
  }
  return { lost: [...flushed].filter((name) => !found.has(name)), repeated };
}

async function readNames(): Promise<string[]> {
  const names: string[] = [];
  for await (const block of readFolder({ folder, signal: new AbortController().signal }))
    names.push(...Buffer.from(block.names).toString().split("\n").slice(0, -1));
  return names;
}

/** Overwrites and cuts random parts of the files. Names may be lost, but none may appear, and nothing may fail. */
async function damageFiles(now: number): Promise<Check> {
  const known = new Set(await readNames());
  const [segment] = listFolder(folder).segments;
  const violations: string[] = [];
  if (segment === undefined)
    return check("damaged files can be read and maintained", ["there is no segment"]);
  const path = join(folder, segment.file);
  const whole = readFileSync(path);
  for (let damage = 0; damage < options.damages; damage++) {
    const bytes = Buffer.from(whole);
    for (let change = random.below(6); change >= 0; change--) {
      const at = random.below(bytes.length);
      bytes.fill(random.below(256), at, Math.min(bytes.length, at + 1 + random.below(2000)));
    }
    writeFileSync(path, bytes.subarray(0, random.below(3) === 0 ? random.below(bytes.length) : undefined));
    try {
      const unknown = (await readNames()).filter((name) => !known.has(name));
      if (unknown.length > 0) violations.push(`damage ${damage}: ${unknown.length} names that nobody added`);
      await maintain({ folder, limits, now, missingBytes: 0 }, tryLock);
    } catch (error) {
      violations.push(`damage ${damage}: ${String(error)}`);
    }
  }
  return check("damaged files can be read and maintained", violations);
}

function check(guarantee: string, violations: string[]): Check {
  return { guarantee, violations };
}
