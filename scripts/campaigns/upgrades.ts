import { Database as Sqlite } from "bun:sqlite";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listUpgradeCopies } from "../../src/platform/database/upgrade-copies.ts";
import { appliedMigrations, readDatabaseVersion } from "../../src/platform/database/versions.ts";
import { releasedVersions } from "../../test/support/released.ts";
import { readOptions } from "../benchmarks/options.ts";
import { phishwatchExecutable } from "../benchmarks/phishwatch.ts";
import { randomFrom } from "../benchmarks/random.ts";
import { randomSeed } from "./report.ts";

const options = readOptions({
  benchmark: "upgrades",
  script: "campaign",
  summary:
    "Kills upgrades from every released version, and 'database compact', at random moments, half of the upgrades inside the\n" +
    "migration. Checks that the database is either the old or the new one, that nothing is lost, and that the next start\n" +
    "finishes the work.",
  options: {
    seed: { default: null, value: "N", description: "seed of all random choices (default: a new one)" },
    rounds: {
      default: 100,
      value: "N",
      description: "kills of the upgrade from each version, and of compact",
    },
    events: { default: 40_000, value: "N", description: "events to add, so that the copy takes longer" },
    threats: {
      default: 40_000,
      value: "N",
      description: "threats to add, so that the migration takes longer",
    },
  },
});
const unrecorded = "not recorded";
const journal = await Bun.file(join(import.meta.dir, "../../drizzle/meta/_journal.json")).json();
const migrationCount = (journal as { entries: unknown[] }).entries.length;
const copyMsMax = 30_000;
/** Sizes in a write-ahead log. */
const walHeaderBytes = 32;
const walFrameBytes = 24;
const seed = options.seed === null ? randomSeed() : Number(options.seed);
console.log(`seed ${seed}`);
const random = randomFrom(seed);
const folder = mkdtempSync(join(tmpdir(), "phishwatch-upgrades-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, "phishwatch.db");
const config = join(folder, "phishwatch.toml");
writeFileSync(config, `[storage]\npath = "${path}"\n[scan]\nschedule = ""\n`);
const migrate = ["serve", "--migrate-only", "--config", config];
const compact = ["database", "compact", "--config", config];

for (const released of releasedVersions) {
  const original = join(folder, "original");
  writeFileSync(original, released.database);
  const threats = inflate(original, options);
  restore(original);
  const running = run(migrate);
  const beginsAt = performance.now();
  await copied();
  const copiedMs = performance.now() - beginsAt;
  const tookMs = await running;
  const seen = { old: 0, new: 0, copies: 0, partial: 0, migrating: 0, written: 0 };
  for (let round = 0; round < options.rounds; round++) {
    restore(original);
    // The migration follows the copy, and is short.
    if (round % 2 === 0) await run(migrate, random.below(Math.ceil(tookMs)));
    else await run(migrate, random.below(Math.ceil(tookMs - copiedMs)), copied());
    const isPartial = hasUncommitted(`${path}-wal`);
    const version = check(threats);
    seen[version === released.version ? "old" : "new"] += 1;
    if (readdirSync(folder).some((name) => name.includes(".partial"))) seen.partial += 1;
    const copies = checkCopies(released.version, threats);
    seen.copies += copies;
    if (copies > 0 && version === released.version) seen.migrating += 1;
    if (isPartial) seen.written += 1;
    await run(migrate);
    if (check(threats) === unrecorded)
      throw new Error(`round ${round}: the next start did not record its version`);
    if (checkCopies(released.version, threats) === 0)
      throw new Error(`round ${round}: no copy after the upgrade`);
    const left = readdirSync(folder).filter((name) => name.includes(".partial"));
    if (left.length > 0) throw new Error(`round ${round}: left ${left.join(", ")}`);
  }
  console.log(
    `${released.version}: ${options.rounds} kills within ${tookMs.toFixed(0)} ms; ${seen.old} left the old database, ${seen.new} the new one; ${seen.copies} left a finished copy, ${seen.partial} a partial one; ${seen.migrating} were between the copy and the commit, ${seen.written} had written a part of it`,
  );
}
await killCompact();

async function killCompact(): Promise<void> {
  const original = join(folder, "original");
  await run(migrate);
  const sqlite = new Sqlite(path);
  sqlite.run("DELETE FROM events WHERE seq % 7 <> 0");
  sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
  sqlite.close();
  copyFileSync(path, original);
  const threats = check();
  const tookMs = await run(compact);
  for (let round = 0; round < options.rounds; round++) {
    restore(original);
    await run(compact, random.below(Math.ceil(tookMs)));
    if (check() !== threats) throw new Error(`round ${round}: another version`);
    await run(compact);
    check();
  }
  console.log(`compact: ${options.rounds} kills within ${tookMs.toFixed(0)} ms; every database is intact`);
}

/** Adds events and threats, so that there is more to copy and to migrate. @returns the number of threats */
function inflate(file: string, { events, threats }: { events: number; threats: number }): number {
  const sqlite = new Sqlite(file);
  const body = JSON.stringify({ data: { text: "x".repeat(500) } });
  const insert = sqlite.prepare(
    "INSERT INTO events (id, type, body, created_at, dispatched_at) VALUES (?, 'threat.created', ?, 1, 1)",
  );
  sqlite.transaction(() => {
    for (let index = 0; index < events; index++) insert.run(`evt_campaign_${index}`, body);
  })();
  const columns = sqlite
    .query<{ name: string }, []>("SELECT name FROM pragma_table_info('threats') WHERE name <> 'seq'")
    .all()
    .map(({ name }) => name);
  const own: Record<string, string> = {
    id: "'thr_campaign_' || n.value",
    domain: "'example-bank-' || n.value || '.com'",
    whois: "json_object('text', hex(randomblob(200)))",
  };
  sqlite.run(
    `WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ${threats})
     INSERT INTO threats (${columns.join(", ")})
     SELECT ${columns.map((name) => own[name] ?? name).join(", ")} FROM n, (SELECT * FROM threats LIMIT 1)`,
  );
  const { count } = sqlite.query<{ count: number }, []>("SELECT count(*) AS count FROM threats").get()!;
  sqlite.close();
  return count;
}

/** Resolves when the copy before the upgrade is finished, or the copying takes too long. */
async function copied(): Promise<void> {
  const endsAt = performance.now() + copyMsMax;
  while (listUpgradeCopies(path).length === 0 && performance.now() < endsAt) await Bun.sleep(1);
}

/** Returns whether a write-ahead log ends with pages that were not committed (https://www.sqlite.org/walformat.html). */
function hasUncommitted(log: string): boolean {
  if (!existsSync(log)) return false;
  const bytes = readFileSync(log);
  if (bytes.length < walHeaderBytes) return false;
  const frameBytes = walFrameBytes + bytes.readUInt32BE(8);
  let isCommitted = true;
  for (let at = walHeaderBytes; at + frameBytes <= bytes.length; at += frameBytes) {
    // Frames of an earlier log have another salt.
    if (bytes.compare(bytes, 16, 24, at + 8, at + 16) !== 0) break;
    isCommitted = bytes.readUInt32BE(at + 4) !== 0;
  }
  return !isCommitted;
}

/** Puts the database into the folder, without anything that an earlier round left. */
function restore(original: string): void {
  for (const name of readdirSync(folder))
    if (name.startsWith("phishwatch.") && name !== "phishwatch.toml") rmSync(join(folder, name));
  copyFileSync(original, path);
}

/**
 * Runs a command to its end, or kills it.
 * @param since when the time until the kill begins; default: at once
 * @returns its duration in milliseconds
 */
async function run(args: string[], killAfterMs?: number, since?: Promise<void>): Promise<number> {
  const startedAt = performance.now();
  const child = Bun.spawn([phishwatchExecutable, ...args], { stdout: "ignore", stderr: "pipe" });
  const log = new Response(child.stderr).text();
  await since;
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
  const code = await child.exited;
  clearTimeout(timer);
  if (code !== 0 && killAfterMs === undefined)
    throw new Error(`${args.join(" ")} ended with ${code}: ${await log}`);
  return performance.now() - startedAt;
}

/** Checks the database. @returns its version, or `unrecorded` */
function check(threats?: number): string | undefined {
  const sqlite = new Sqlite(path);
  try {
    const [first] = sqlite.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all();
    if (first?.integrity_check !== "ok") throw new Error(`damaged: ${first?.integrity_check}`);
    requireThreats(sqlite, threats);
    const version = readDatabaseVersion(sqlite)?.version;
    if (version !== undefined) return version;
    // Killed between the commit and the record of the version.
    if (appliedMigrations(sqlite).length === migrationCount) return unrecorded;
    throw new Error("the database is of no version");
  } finally {
    sqlite.close();
  }
}

/** @returns the number of finished copies, which must be complete */
function checkCopies(version: string, threats: number): number {
  const copies = listUpgradeCopies(path);
  for (const copy of copies) {
    const sqlite = new Sqlite(copy.path, { readonly: true });
    const [first] = sqlite.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all();
    if (first?.integrity_check !== "ok") throw new Error(`${copy.path}: ${first?.integrity_check}`);
    if (readDatabaseVersion(sqlite)?.version !== version)
      throw new Error(`${copy.path} is of another version`);
    requireThreats(sqlite, threats);
    sqlite.close();
  }
  return copies.length;
}

function requireThreats(sqlite: Sqlite, threats: number | undefined): void {
  const { count } = sqlite.query<{ count: number }, []>("SELECT count(*) AS count FROM threats").get()!;
  if (threats !== undefined && count !== threats) throw new Error(`${count} threats instead of ${threats}`);
}
