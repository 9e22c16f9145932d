import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, type Database } from "../../../src/platform/database/database.ts";
import type { ThreatSource } from "../../../src/response/cases/campaigns/traits.ts";
import { fillWithThreats } from "../../benchmarks/campaign-rows.ts";
import type { Random } from "../../benchmarks/random.ts";
import { freePort } from "../../benchmarks/server-process.ts";
import { startServer } from "../server.ts";

const closedThreats = 6_000;
const activeThreats = 500;
const lifeMsMax = 15_000;
const finishMsMax = 120_000;
const pollPauseMs = 2;
/** The server deletes at this minute of an hour. It starts shortly before, by its clock. */
const minute = 41;
const secondsBefore = 3;
const hourSeconds = 3_600;
const dayMs = 86_400_000;

/**
 * Kills the server at random moments while it deletes closed threats. A threat is there with all that belongs to it, or
 * it is deleted with all of it and its name is kept; in the end, exactly the closed ones are deleted, and counted once.
 */
export async function killRetention({
  kills,
  random,
  folder,
}: {
  kills: number;
  random: Random;
  folder: string;
}): Promise<{ deleting: number; deleted: number; violations: string[] }> {
  mkdirSync(join(folder, "screenshots"), { recursive: true });
  const path = join(folder, "phishwatch.db");
  const config = join(folder, "phishwatch.toml");
  const port = freePort();
  writeFileSync(config, configText(path, port));
  const database = openDatabase(path);
  fill(database, join(folder, "screenshots"));
  const environment = shiftedClock(folder);
  const violations: string[] = [];
  let deleting = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const server = await startServer({ config, port, environment: environment() });
    // A kill at a random time would rarely hit the deletions.
    const before = countClosed(database);
    const target = before - 1 - random.below(Math.ceil((2 * closedThreats) / kills));
    await within(lifeMsMax, () => countClosed(database) <= Math.max(0, target));
    server.signal("SIGKILL");
    await server.exited;
    const left = countClosed(database);
    if (left < before && left > 0) deleting += 1;
    violations.push(...problemsOf(database).map((problem) => `kill ${kill + 1}: ${problem}`));
  }
  const server = await startServer({ config, port, environment: environment() });
  const isDone = await within(finishMsMax, () => countClosed(database) === 0 && uncounted(database) === 0);
  const isSwept = await within(finishMsMax, () => screenshotsIn(folder) === activeThreats);
  server.signal("SIGTERM");
  await server.exited;
  if (!isDone) violations.push(`${countClosed(database)} threats are not deleted in the end`);
  if (!isSwept) violations.push(`${screenshotsIn(folder)} screenshots instead of ${activeThreats}`);
  violations.push(...problemsOf(database));
  const recorded = number(
    database,
    "SELECT sum(json_extract(detail, '$.count')) AS n FROM audit_log WHERE action = 'retention.delete'",
  );
  if (recorded !== closedThreats)
    violations.push(`the audit log has ${recorded} deletions instead of ${closedThreats}`);
  const deleted = number(database, "SELECT count(*) AS n FROM deleted_threats");
  database.close();
  rmSync(folder, { recursive: true });
  return { deleting, deleted, violations };
}

function fill(database: Database, screenshots: string): void {
  const threats = Array.from({ length: closedThreats + activeThreats }, (_, index): ThreatSource => {
    const seq = index + 1;
    const isActive = seq > closedThreats;
    const status = isActive ? "active" : seq % 2 === 0 ? "resolved" : "false_positive";
    return {
      seq,
      domain: `example-bank-${seq}.com`,
      protectedDomain: "example-bank.com",
      status,
      firstSeen: 1,
      facts: {} as ThreatSource["facts"],
      serials: [`s${seq}`],
      originals: new Set(),
    };
  });
  fillWithThreats(database, threats);
  for (const rule of ["false_positives", "resolved"])
    database.sqlite.run(
      "INSERT INTO retention_notices (rule, age_ms, since, unrecorded) VALUES (?, ?, ?, 0)",
      [rule, 7 * dayMs, Date.now() - 2 * dayMs],
    );
  for (const { seq } of threats) writeFileSync(join(screenshots, `thr_${seq}.webp`), "picture");
}

/** Returns a function that returns the environment of a server whose clock is shortly before the deletions. */
function shiftedClock(folder: string): () => Record<string, string> {
  const library = join(folder, "clock-shift.so");
  const source = join(import.meta.dir, "../faults/clock-shift.c");
  const built = Bun.spawnSync(["cc", "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"]);
  if (built.exitCode !== 0) throw new Error(built.stderr.toString());
  const shiftFile = join(folder, "shift");
  return () => {
    const present = Math.floor(Date.now() / 1_000) % hourSeconds;
    const shift = (minute * 60 - secondsBefore - present + hourSeconds) % hourSeconds;
    writeFileSync(shiftFile, String(shift));
    return { LD_PRELOAD: library, CLOCK_SHIFT_FILE: shiftFile };
  };
}

/** Returns what is half deleted. */
function problemsOf(database: Database): string[] {
  const { sqlite } = database;
  const integrity = sqlite.query<{ integrity_check: string }, []>("PRAGMA integrity_check").get();
  const all = closedThreats + activeThreats;
  const found: [string, number, number][] = [
    ["rows without what they refer to", sqlite.query("PRAGMA foreign_key_check").all().length, 0],
    [
      "threats and deleted names",
      number(database, "SELECT (SELECT count(*) FROM threats) + (SELECT count(*) FROM deleted_threats) AS n"),
      all,
    ],
    [
      "active threats",
      number(database, "SELECT count(*) AS n FROM threats WHERE status = 'active'"),
      activeThreats,
    ],
    [
      "threats without facts or certificate",
      number(
        database,
        `SELECT count(*) AS n FROM threats WHERE seq NOT IN (SELECT threat_seq FROM enrichments)
         OR seq NOT IN (SELECT threat_seq FROM threat_certificates)`,
      ),
      0,
    ],
  ];
  const wrong = found.filter(([, one, expected]) => one !== expected);
  return [
    ...(integrity?.integrity_check === "ok" ? [] : [String(integrity?.integrity_check)]),
    ...wrong.map(([what, one, expected]) => `${one} ${what} instead of ${expected}`),
  ];
}

const countClosed = (database: Database) =>
  number(database, "SELECT count(*) AS n FROM threats WHERE status <> 'active'");

/** Returns the number of deletions that the audit log does not contain yet. */
const uncounted = (database: Database) =>
  number(database, "SELECT sum(unrecorded) AS n FROM retention_notices");

function screenshotsIn(folder: string): number {
  return readdirSync(join(folder, "screenshots")).length;
}

function number({ sqlite }: Database, sql: string): number {
  return sqlite.query<{ n: number | null }, []>(sql).get()?.n ?? 0;
}

async function within(timeMs: number, isTrue: () => boolean): Promise<boolean> {
  const endsAt = performance.now() + timeMs;
  while (!isTrue()) {
    if (performance.now() > endsAt) return false;
    await Bun.sleep(pollPauseMs);
  }
  return true;
}

function configText(path: string, port: number): string {
  return `[server]
listen = "127.0.0.1:${port}"
[storage]
path = ${JSON.stringify(path)}
[scan]
schedule = ""
[lookups]
enabled = false
[retention]
false_positives = "7d"
resolved = "7d"
`;
}
