import { Database as Sqlite } from "bun:sqlite";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../src/platform/database/database.ts";
import { readOptions } from "../benchmarks/options.ts";
import { randomFrom } from "../benchmarks/random.ts";
import { accountCount, amount } from "./backups/writer.ts";
import { printReport, randomSeed } from "./report.ts";

const options = readOptions({
  benchmark: "backups",
  script: "campaign",
  summary:
    "Makes backups with the executable while two processes write to the database and copy its log into the file, and\n" +
    "kills half of them at random times. Restores every backup that was completed, and kills the restores, too.",
  options: {
    seed: { default: null, value: "N", description: "seed of all random choices (default: a new one)" },
    rounds: { default: 100, value: "N", description: "backups to begin" },
    secret: { default: null, value: "TEXT", description: "encrypts the backups (default: not encrypted)" },
  },
});

const seed = options.seed === null ? randomSeed() : Number(options.seed);
console.log(`seed ${seed}`);
const random = randomFrom(seed);
const executable = join(import.meta.dir, "../../dist/phishwatch");
const killMsMax = 700;
const top = mkdtempSync(join(tmpdir(), "phishwatch-campaign-"));
const config = join(top, "phishwatch.toml");
const path = join(top, "phishwatch.db");
const violations = {
  consistent: [] as string[],
  acknowledged: [] as string[],
  readable: [] as string[],
  restored: [] as string[],
  whole: [] as string[],
};
const counts = { completed: 0, killed: 0, restores: 0, killedRestores: 0, undone: 0 };

try {
  process.exitCode = await run();
} finally {
  rmSync(top, { recursive: true });
}

async function run(): Promise<number> {
  prepare();
  const writers = [1, 2].map((writer) => startWriter(writer));
  let last: string | undefined;
  for (let round = 0; round < options.rounds; round++) {
    const acknowledged = writers.map((writer) => writer.number());
    writeFileSync(join(top, "screenshots", `thr_${round}.webp`), String(round));
    const killed = await runMaybeKilled(["backup", "--json", "--config", config], 2);
    const newest = await newestBackup();
    if (killed) counts.killed++;
    if (newest === undefined || newest === last) continue;
    last = newest;
    counts.completed++;
    await restoreAndCheck(newest, killed ? [0, 0] : acknowledged);
  }
  for (const writer of writers) await writer.kill();
  const ids = (await command(["backups", "list", "--json", "--config", config])).out.trim().split("\n");
  for (const line of ids) {
    const { id } = JSON.parse(line) as { id: string };
    const { code, err } = await command(["backups", "verify", id, "--restore", "--config", config]);
    if (code !== 0) violations.readable.push(`${id}: ${err}`);
  }
  return printReport({
    command: `scripts/campaign backups --seed ${seed} --rounds ${options.rounds}`,
    figures: [
      ["backups completed", counts.completed],
      ["backups killed", counts.killed],
      ["transactions", writers.reduce((sum, writer) => sum + writer.number(), 0)],
      ["restores", counts.restores],
      ["restores killed, of which changed nothing", `${counts.killedRestores}, ${counts.undone}`],
    ],
    checks: [
      { guarantee: "every backup is the state between two transactions", violations: violations.consistent },
      { guarantee: "a backup contains what was committed before it", violations: violations.acknowledged },
      { guarantee: "a killed restore leaves the old or the new state", violations: violations.restored },
      {
        guarantee: "after the next start, the database and the files next to it are of the same state",
        violations: violations.whole,
      },
      { guarantee: "all backups that are kept can be restored in the end", violations: violations.readable },
    ],
  });
}

function prepare(): void {
  const secret = options.secret === null ? "" : `encrypt_with = ${JSON.stringify(options.secret)}\n`;
  writeFileSync(config, `[storage]\npath = "phishwatch.db"\n[backup]\nkeep = 5\n${secret}`);
  mkdirSync(join(top, "screenshots"));
  const database = openDatabase(path);
  database.sqlite.run(
    "CREATE TABLE sample_accounts (seq INTEGER PRIMARY KEY, amount INTEGER NOT NULL, padding BLOB)",
  );
  database.sqlite.run(
    "CREATE TABLE sample_ledger (seq INTEGER PRIMARY KEY AUTOINCREMENT, writer INTEGER, number INTEGER, padding BLOB)",
  );
  database.sqlite.run(
    "WITH RECURSIVE n(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n WHERE seq < ?) INSERT INTO sample_accounts SELECT seq, ?, randomblob(500) FROM n",
    [accountCount, amount],
  );
  database.close();
}

function startWriter(writer: number) {
  const script = join(import.meta.dir, "backups/writer.ts");
  const child = Bun.spawn([process.execPath, script, path, String(writer), String(random.below(2 ** 31))], {
    stdout: "pipe",
    stderr: "inherit",
  });
  let number = 0;
  void (async () => {
    for await (const chunk of child.stdout) {
      const lines = Buffer.from(chunk).toString().trim().split("\n");
      number = Math.max(number, ...lines.slice(0, -1).map(Number), 0);
    }
  })();
  return {
    number: () => number,
    async kill() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/**
 * Runs the executable, and kills it at a random time in one of `share` cases, or as soon as a file exists. Returns
 * whether it was killed.
 */
async function runMaybeKilled(args: string[], share: number, file?: string): Promise<boolean> {
  const child = Bun.spawn([executable, ...args], { stdout: "ignore", stderr: "pipe" });
  if (file !== undefined) {
    while (!existsSync(file) && child.exitCode === null)
      await new Promise((resolve) => setImmediate(resolve));
    child.kill("SIGKILL");
  }
  const timer =
    random.below(share) === 0 ? setTimeout(() => child.kill("SIGKILL"), random.below(killMsMax)) : undefined;
  const err = await new Response(child.stderr).text();
  await child.exited;
  clearTimeout(timer);
  const killed = child.signalCode === "SIGKILL";
  if (!killed && child.exitCode !== 0) violations.readable.push(`${args.join(" ")}: ${err}`);
  return killed;
}

async function command(args: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn([executable, ...args], { stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err };
}

async function newestBackup(): Promise<string | undefined> {
  const { out } = await command(["backups", "list", "--json", "--config", config]);
  const line = out.trim().split("\n").at(-1) ?? "";
  return line === "" ? undefined : (JSON.parse(line) as { id: string }).id;
}

/** Restores over an older restored state, and kills the restore unless it ends before. */
async function restoreAndCheck(id: string, acknowledged: number[]): Promise<void> {
  const folder = join(top, "restored");
  mkdirSync(folder, { recursive: true });
  const target = join(folder, "phishwatch.db");
  const other = join(folder, "phishwatch.toml");
  const secret = options.secret === null ? "" : `encrypt_with = ${JSON.stringify(options.secret)}\n`;
  writeFileSync(other, `[storage]\npath = "phishwatch.db"\n[backup]\nfolder = "../backups"\n${secret}`);
  const before = existsSync(target) ? stateIn(folder) : undefined;
  // The files are replaced after the plan was written, within milliseconds.
  const plan = random.below(2) === 0 ? join(`${target}.restoring`, "plan.json") : undefined;
  if (await runMaybeKilled(["restore", id, "--config", other], 1, plan)) {
    counts.killedRestores++;
    const state = existsSync(target) ? describe(target) : before && "there is no database";
    if (typeof state === "string") violations.restored.push(`${id}: ${state}`);
    // The next process that takes the lock for serving completes the restore, or deletes what it prepared.
    await command(["serve", "--migrate-only", "--config", other]);
    const completed = before && stateIn(folder);
    if (completed !== undefined && completed.numbers === before!.numbers) counts.undone++;
    if (
      completed !== undefined &&
      (completed.numbers === before!.numbers) !== (completed.files === before!.files)
    )
      violations.whole.push(`${id}: ${JSON.stringify(completed)} after ${JSON.stringify(before)}`);
    if (existsSync(`${target}.restoring`)) violations.whole.push(`${id}: left what was prepared`);
    const again = await command(["restore", id, "--config", other]);
    if (again.code !== 0) violations.restored.push(`${id}: ${again.err}`);
  }
  counts.restores++;
  const state = describe(target);
  if (typeof state === "string") return void violations.consistent.push(`${id}: ${state}`);
  for (const [index, number] of acknowledged.entries())
    if ((state[index] ?? 0) < number)
      violations.acknowledged.push(`${id}: writer ${index + 1} ends at ${state[index]} instead of ${number}`);
  await command(["restore", "--remove-aside", "--config", other]);
}

/** Returns the state of the database and of the files next to it, each of which every backup changes. */
function stateIn(folder: string): { numbers: string; files: number } {
  const screenshots = join(folder, "screenshots");
  const files = existsSync(screenshots) ? readdirSync(screenshots).length : 0;
  return { numbers: JSON.stringify(describe(join(folder, "phishwatch.db"))), files };
}

/** Returns the last number of each writer, or what is wrong with the database. */
function describe(file: string): number[] | string {
  const sqlite = new Sqlite(file, { readwrite: true });
  try {
    const [check] = sqlite.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all();
    if (check?.integrity_check !== "ok") return check?.integrity_check ?? "no result";
    const { sum } = sqlite
      .query<{ sum: number }, []>("SELECT sum(amount) AS sum FROM sample_accounts")
      .get()!;
    if (sum !== accountCount * amount) return `the amounts add up to ${sum}`;
    const last = sqlite.query<{ last: number | null }, [number]>(
      "SELECT max(number) AS last FROM sample_ledger WHERE writer = ?",
    );
    return [1, 2].map((writer) => last.get(writer)?.last ?? 0);
  } catch (error) {
    return String(error);
  } finally {
    sqlite.close();
  }
}
