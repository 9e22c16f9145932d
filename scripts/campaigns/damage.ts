import {
  closeSync,
  copyFileSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "../benchmarks/options.ts";
import { randomFrom } from "../benchmarks/random.ts";
import { addRarePages, kinds, pageBytes, placesOf, readDatabase, type Kind } from "./damage/pages.ts";
import { openAppliance, within, type Appliance } from "./faults/appliance.ts";
import { printReport, randomSeed, type Check } from "./report.ts";
import { runCommand, startServer } from "./server.ts";

const options = readOptions({
  benchmark: "damage",
  script: "campaign",
  summary:
    "Flips one bit at a time in every kind of page of a server's database, and in its write-ahead log. Damage that SQLite's own check of\n" +
    "everything finds must be reported by the server and by `check` before it does harm, and be repaired without a loss or refused.",
  options: {
    seed: { default: null, value: "N", description: "seed of all random choices (default: a new one)" },
    trials: { default: 8, value: "N", description: "flips in each kind of page" },
    threats: { default: 3_000, value: "N", description: "threats in the database" },
  },
});
const seed = options.seed === null ? randomSeed() : Number(options.seed);
console.log(`seed ${seed}`);
const random = randomFrom(seed);

const noticedMsMax = 30_000;
const perRequest = 1_000;
const dayMs = 86_400_000;
/** Size of the header of the write-ahead log. Without it, the log counts as empty. */
const logHeaderBytes = 32;

const folder = mkdtempSync(join(tmpdir(), "phishwatch-damage-"));
const domains = Array.from({ length: options.threats }, (_, index) => `example-bank-${index}.com`);
const checks = {
  reported: [] as string[],
  command: [] as string[],
  refused: [] as string[],
  hidden: [] as string[],
  doubled: [] as string[],
  repaired: [] as string[],
  ended: [] as string[],
};
const outcomes = new Map<string, Map<string, number>>();

const appliance = await openAppliance({ folder, settings: "\n[archive]\nenabled = false\n" });
const { databasePath: path, config, port } = appliance;
await submitAll(appliance);
await appliance.stop();
addRarePages(path);
const intact = { bytes: readFileSync(path), ...readDatabase(path) };
const state = JSON.parse(readFileSync(`${path}.health`, "utf8")) as Record<string, unknown>;
const places = placesOf(path);
try {
  for (let trial = 0; trial < options.trials; trial += 1) for (const kind of kinds) await flipPage(kind);
  for (let trial = 0; trial < options.trials; trial += 1) await flipLog();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const figures = [...outcomes].flatMap(([kind, counts]) =>
  [...counts].map(([outcome, count]) => [`${kind}: ${outcome}`, count] as const),
);
const all: Check[] = [
  {
    guarantee: "damage that SQLite's check of everything finds is reported by the server",
    violations: checks.reported,
  },
  { guarantee: "`check` reports it as well", violations: checks.command },
  { guarantee: "no change is accepted after the report", violations: checks.refused },
  {
    guarantee: "without a report, every threat is found by its ID and by its pair",
    violations: checks.hidden,
  },
  { guarantee: "without a report, no pair is recorded a second time", violations: checks.doubled },
  {
    guarantee: "a repair restores every row, changes nothing and says so, or names a row that may be wrong",
    violations: checks.repaired,
  },
  { guarantee: "no damage ends the process by a signal", violations: checks.ended },
];
process.exit(
  printReport({
    figures,
    checks: all,
    command: `scripts/campaign damage --seed ${seed} --trials ${options.trials} --threats ${options.threats}`,
  }),
);

async function submitAll(to: Appliance): Promise<void> {
  for (let from = 0; from < domains.length; from += perRequest) {
    const { status } = await to.request("POST", "/v1/candidates", {
      domains: domains.slice(from, from + perRequest),
    });
    if (status !== 200) throw new Error(`a submission returned ${status}`);
  }
}

function countOutcome(kind: string, outcome: string, detail = ""): void {
  const counts = outcomes.get(kind) ?? new Map<string, number>();
  outcomes.set(kind, counts.set(outcome, (counts.get(outcome) ?? 0) + 1));
  if (detail !== "") console.log(`${kind}: ${outcome}: ${detail.replace(/\s+/g, " ").slice(0, 300)}`);
}

/** Writes the content into the same file, which the state of the server names. */
function write(bytes: Uint8Array): void {
  const descriptor = openSync(path, "r+");
  writeSync(descriptor, bytes, 0, bytes.length, 0);
  ftruncateSync(descriptor, bytes.length);
  closeSync(descriptor);
  for (const ending of ["-wal", "-shm", ".index"]) rmSync(path + ending, { force: true });
}

function flipped(bytes: Uint8Array, at: number, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at]! ^= 1 << bit;
  return copy;
}

async function flipPage(kind: Kind): Promise<void> {
  const pages = places[kind];
  if (pages.length === 0) return countOutcome(kind, "no such page");
  const page = pages[random.below(pages.length)]!;
  const at = page.at + random.below(page.bytes);
  const bit = random.below(8);
  const name = `${kind}, byte ${at % pageBytes} of page ${Math.floor(at / pageBytes) + 1}, bit ${bit}`;
  const damaged = flipped(intact.bytes, at, bit);
  const copy = join(folder, "copy.db");
  writeFileSync(copy, damaged);
  const read = readDatabase(copy);

  write(damaged);
  const command = await runCommand(["check", "--offline", "--json", "--config", config]);
  const isFound = /"check":\s*"database",[^}]*"state":\s*"error"/.test(command.output);
  write(damaged);
  // The daily check is due.
  const due = { at: Date.now() - 2 * dayMs, result: "ok" };
  writeFileSync(
    `${path}.health`,
    JSON.stringify({ ...state, marker: damaged.readUInt32BE(60), quickCheck: due, startedCheck: null }),
  );
  const report = await serve(name);
  const isReported = report !== undefined;
  if (read.damage !== undefined && !isReported) checks.reported.push(`${name}: ${read.damage}`);
  if (isFound !== isReported) checks.command.push(`${name}: ${report ?? "no report by the server"}`);
  if (!isReported && read.hidden > 0) checks.hidden.push(`${name}: ${read.hidden} threats`);
  if (!isReported)
    return countOutcome(
      kind,
      read.rows === intact.rows ? "no effect on any row" : "changed value that no check can see",
    );
  write(damaged);
  await repair(kind, name);
}

/** Starts the server, and returns what it reports, if it does. */
async function serve(name: string): Promise<string | undefined> {
  let server;
  try {
    server = await startServer({ config, port });
  } catch (error) {
    const text = String(error);
    if (/SIG|panic|Segmentation/.test(text)) checks.ended.push(`${name}: ${text.slice(0, 200)}`);
    return text;
  }
  let report: string | undefined;
  const startedAt = Date.now();
  const isKnown = await within(noticedMsMax, async () => {
    const { text } = await appliance.request("GET", "/readyz");
    const { checks: ready, unknown } = JSON.parse(text || "{}") as {
      checks?: { database: string };
      unknown?: string[];
    };
    if (ready !== undefined && ready.database !== "ok") report = ready.database;
    const stored = JSON.parse(readFileSync(`${path}.health`, "utf8")) as { quickCheck?: { at: number } };
    return (
      report !== undefined ||
      (unknown?.length === 0 && (stored.quickCheck?.at ?? 0) > startedAt - noticedMsMax)
    );
  });
  if (!isKnown) checks.reported.push(`${name}: the check did not end`);
  const known = await appliance.request("POST", "/v1/candidates", { domains: domains.slice(0, perRequest) });
  const another = await appliance.request("POST", "/v1/candidates", {
    domains: [`example-bank-${random.below(1e9)}.org`],
  });
  if (report === undefined) {
    const { meta } = JSON.parse(known.text) as { meta?: { created: number } };
    if (meta === undefined) countOutcome("any", "changed value that makes a request fail", name);
    if ((meta?.created ?? 0) > 0) checks.doubled.push(`${name}: ${meta?.created} recorded again`);
  } else if (another.status === 200) checks.refused.push(`${name}: ${report}`);
  server.signal("SIGTERM");
  const exitCode = await server.exited;
  if (exitCode > 128) checks.ended.push(`${name}: exit code ${exitCode}`);
  return report;
}

async function repair(kind: string, name: string): Promise<void> {
  rmSync(`${path}.health`, { force: true });
  const before = readFileSync(path);
  const { exitCode, output } = await runCommand(["database", "repair", "--config", config]);
  for (const [, aside] of output.matchAll(/is kept as (\S+);/g)) rmSync(aside!, { force: true });
  if (exitCode !== 0) {
    countOutcome(kind, "reported, to be restored from a backup", `${name}: ${output}`);
    if (!readFileSync(path).equals(before))
      checks.repaired.push(`${name}: refused, but the file was changed`);
    return;
  }
  const { damage, rows } = readDatabase(path);
  // The value of a row was changed, and the repair says that it cannot know whether the row or the index is right.
  const isTold = kind.startsWith("table") && output.includes("the row was used");
  const isSame = rows === intact.rows;
  countOutcome(
    kind,
    isSame ? "reported, and repaired" : "reported, and repaired to the changed value of a row",
  );
  if (damage !== undefined || (!isSame && !isTold))
    checks.repaired.push(`${name}: ${damage ?? "other rows"}: ${output}`);
  // The file of the next trial must be the one that the state names.
  state["file"] = { ino: 0, createdAtMs: 0 };
  await renew();
}

/** The repair has replaced the file: a server stores the identity of the new one. */
async function renew(): Promise<void> {
  write(intact.bytes);
  const server = await startServer({ config, port });
  await within(noticedMsMax, () => {
    try {
      Object.assign(state, JSON.parse(readFileSync(`${path}.health`, "utf8")));
      return (state["file"] as { ino: number }).ino !== 0;
    } catch {
      return false;
    }
  });
  server.signal("SIGTERM");
  await server.exited;
}

/** Flips a bit of the log that a killed server has left, and compares what the next one has with what was acknowledged. */
async function flipLog(): Promise<void> {
  write(intact.bytes);
  rmSync(`${path}.health`, { force: true });
  const server = await startServer({ config, port });
  const acknowledged: string[] = [];
  for (let number = 0; number < 40; number += 1) {
    const domain = `example-bank-log-${number}.com`;
    const { status } = await appliance.request("POST", "/v1/candidates", { domains: [domain] });
    if (status === 200) acknowledged.push(domain);
  }
  server.signal("SIGKILL");
  await server.exited;
  const log = readFileSync(`${path}-wal`);
  const at = logHeaderBytes + random.below(log.length - logHeaderBytes);
  const name = `log, byte ${at} of ${log.length}`;
  writeFileSync(`${path}-wal`, flipped(log, at, random.below(8)), { flag: "r+" });
  copyFileSync(path, join(folder, "copy.db"));
  let report = "";
  try {
    const next = await startServer({ config, port });
    await within(noticedMsMax, async () => (await appliance.request("GET", "/readyz")).status === 200);
    const { text, status } = await appliance.request("GET", "/readyz");
    if (status !== 200) report = text;
    report += /database\.log_[a-z_]+/.exec(next.log())?.[0] ?? "";
    const { text: list } = await appliance.request("POST", "/v1/candidates", { domains: acknowledged });
    const created = (JSON.parse(list) as { meta?: { created: number } }).meta?.created;
    next.signal("SIGTERM");
    await next.exited;
    if (report !== "") countOutcome("log", "reported", `${name}: ${report}`);
    else if (created === 0) countOutcome("log", "no effect");
    // Damage in the last transaction looks like the end of a process.
    else if (created === 1) countOutcome("log", "only the last change lost");
    else {
      countOutcome("log", "acknowledged changes lost without a report");
      checks.reported.push(`${name}: ${created} of ${acknowledged.length} acknowledged threats are gone`);
    }
  } catch (error) {
    countOutcome("log", "reported", `${name}: ${String(error)}`);
    if (!String(error).includes("database")) checks.ended.push(`${name}: ${String(error).slice(0, 200)}`);
  }
}
