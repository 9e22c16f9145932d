import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database as Sqlite } from "bun:sqlite";
import { makeBackup } from "../../src/operations/backups/making/make-backup.ts";
import { openRepository } from "../../src/operations/backups/repository/repository.ts";
import { createFolderStore } from "../../src/operations/backups/stores/folder-store.ts";
import { takeServeLock } from "../../src/platform/database/lock.ts";
import { systemClock } from "../../src/platform/lib/clock.ts";
import { newestState } from "../../src/operations/standby/standby-folder.ts";
import { readOptions } from "../benchmarks/options.ts";
import { phishwatchExecutable } from "../benchmarks/phishwatch.ts";
import { randomFrom } from "../benchmarks/random.ts";
import { seededDatabase } from "../benchmarks/seed.ts";
import { printReport, randomSeed, type Check } from "./report.ts";

const options = readOptions({
  benchmark: "standby",
  script: "campaign",
  summary:
    "Kills a standby and promotions at random times while the primary writes and makes backups, and checks that the\n" +
    "newest state is always complete, and that a killed promotion leaves the old or the new database.",
  options: {
    seed: { default: null, value: "N", description: "seed of all random choices (default: a new one)" },
    kills: { default: 60, value: "N", description: "standbys to kill, and as many promotions" },
    threats: { default: 20_000, value: "N", description: "threats in the database" },
  },
});

const followMsMax = 2_500;
const promoteMsMax = 3_000;
const seed = options.seed === null ? randomSeed() : Number(options.seed);
console.log(`seed ${seed}`);
const random = randomFrom(seed);
const top = mkdtempSync(join(tmpdir(), "phishwatch-campaign-"));
const fillRandom = (bytes: Uint8Array) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
const never = new AbortController().signal;
const store = createFolderStore({ folder: join(top, "backups"), fillRandom });
for (const name of ["primary", "primary/screenshots", "second"]) mkdirSync(join(top, name));
const primaryPath = join(top, "primary/phishwatch.db");
const secondPath = join(top, "second/phishwatch.db");
const standby = join(top, "second/standby");
const configPath = join(top, "phishwatch.toml");
copyFileSync(seededDatabase(options.threats).path, primaryPath);
writeFileSync(
  configPath,
  `[storage]\npath = "${secondPath}"\n[backup]\nfolder = "${join(top, "backups")}"\n`,
);
const primary = new Sqlite(primaryPath);
primary.run("PRAGMA journal_mode = WAL");
try {
  process.exitCode = await run();
} finally {
  primary.close();
  rmSync(top, { recursive: true });
}

async function run(): Promise<number> {
  /** Rounds of changes that each backup has at least, by its id. */
  const roundsOf = new Map<string, number>();
  const incomplete: string[] = [];
  const lost: string[] = [];
  const broken: string[] = [];
  let states = 0;
  let promoted = 0;
  let completed = 0;
  await backUp(0, roundsOf);
  for (let round = 1; round <= options.kills; round++) {
    const killed = killAfter(["standby", "--every", "1s"], random.below(followMsMax));
    await backUp(round, roundsOf);
    await killed;
    const state = await newestState(standby);
    if (state === undefined) continue;
    states++;
    const result = inspect(join(state.folder, "database"));
    const expected = roundsOf.get(state.manifest.id) ?? 0;
    if (result.integrity !== "ok") incomplete.push(`${state.manifest.id}: ${result.integrity}`);
    if (result.round < expected) lost.push(`${state.manifest.id}: ${result.round} instead of ${expected}`);
  }
  for (let round = 1; round <= options.kills; round++) {
    const code = await killAfter(["standby", "promote", "--force"], random.below(promoteMsMax));
    if (code === 0) promoted++;
    // The next process that serves completes what was killed.
    takeServeLock(secondPath).release();
    if (!existsSync(secondPath)) continue;
    completed++;
    const result = inspect(secondPath);
    if (result.integrity !== "ok") broken.push(result.integrity);
    const expected = Math.max(...roundsOf.values());
    if (result.round < expected) lost.push(`promoted with ${result.round} instead of ${expected}`);
  }
  const checks: Check[] = [
    { guarantee: "the newest state of a killed standby has a sound database", violations: incomplete },
    { guarantee: "a state has all changes from before its backup", violations: lost },
    { guarantee: "after a killed promotion, the database is sound", violations: broken },
  ];
  return printReport({
    figures: [
      ["killed standbys with a state", states],
      ["promotions that ended before the kill", promoted],
      ["rounds with a database after the promotion", completed],
    ],
    checks,
    command: `scripts/campaign standby --seed ${seed} --kills ${options.kills} --threats ${options.threats}`,
  });
}

async function killAfter(args: string[], delayMs: number): Promise<number> {
  const child = Bun.spawn([phishwatchExecutable, ...args, "--config", configPath], {
    stdout: "ignore",
    stderr: "ignore",
  });
  await Promise.race([child.exited, Bun.sleep(delayMs)]);
  const { exitCode } = child;
  child.kill("SIGKILL");
  await child.exited;
  return exitCode ?? -1;
}

/** Changes rows everywhere in the database, and the number of the round in a setting, and makes a backup. */
async function backUp(round: number, roundsOf: Map<string, number>): Promise<void> {
  const change = primary.query("UPDATE threats SET changed_at = changed_at + 1 WHERE seq = ?");
  primary.transaction(() => {
    for (let index = 0; index < 200; index++) change.run(1 + random.below(options.threats));
    primary.run("INSERT OR REPLACE INTO settings (name, value, updated_at) VALUES ('round', ?, 0)", [
      String(round),
    ]);
  })();
  writeFileSync(join(top, "primary/screenshots", `${round % 20}.webp`), `screenshot ${round}`);
  const { id } = await makeBackup({
    databasePath: primaryPath,
    descriptor: undefined,
    repository: await openRepository({ store, secret: null, fillRandom, createAt: systemClock.now() }),
    keep: 2,
    outcomes: { lineage: null, completed: null },
    configuration: undefined,
    version: "campaign",
    opensDatabase: false,
    owner: { host: "campaign", pid: process.pid, token: "00" },
    isRunning: () => true,
    clock: systemClock,
    fillRandom,
    signal: never,
  });
  roundsOf.set(id, round);
}

function inspect(path: string): { integrity: string; round: number } {
  const sqlite = new Sqlite(path, { readwrite: true });
  try {
    const [first] = sqlite.query<{ integrity_check: string }, []>("PRAGMA integrity_check(1)").all();
    const row = sqlite.query<{ value: string }, []>("SELECT value FROM settings WHERE name = 'round'").get();
    return { integrity: first?.integrity_check ?? "no result", round: Number(row?.value ?? -1) };
  } catch (error) {
    return { integrity: String(error), round: -1 };
  } finally {
    sqlite.close();
  }
}
