import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database as Sqlite } from "bun:sqlite";
import { makeBackup } from "../../src/operations/backups/making/make-backup.ts";
import { openRepository } from "../../src/operations/backups/repository/repository.ts";
import { createFolderStore } from "../../src/operations/backups/stores/folder-store.ts";
import { systemClock } from "../../src/platform/lib/clock.ts";
import { fetchNewest } from "../../src/operations/standby/follow.ts";
import { promote } from "../../src/operations/standby/promote.ts";
import { readOptions } from "./options.ts";
import { randomFrom } from "./random.ts";
import { seededDatabase } from "./seed.ts";
import { formatTable } from "./statistics.ts";

const { threats, changes, cycles } = readOptions({
  benchmark: "standby",
  summary:
    "Time and traffic of a standby: the first backup, the backups after it, and the promotion. The backups are in a\n" +
    "folder of this machine, so that the times contain no network.",
  options: {
    threats: { default: 100_000, value: "N", description: "threats in the database" },
    changes: { default: 1_000, value: "N", description: "threats that change between two backups" },
    cycles: { default: 3, value: "N", description: "backups after the first" },
  },
});

const folder = mkdtempSync(join(tmpdir(), "phishwatch-bench-standby-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const fillRandom = (bytes: Uint8Array) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
const signal = new AbortController().signal;
for (const name of ["primary", "second"]) mkdirSync(join(folder, name));
const databasePath = join(folder, "primary/phishwatch.db");
copyFileSync(seededDatabase(threats).path, databasePath);
const sqlite = new Sqlite(databasePath);
sqlite.run("PRAGMA journal_mode = WAL");
const store = createFolderStore({ folder: join(folder, "backups"), fillRandom });
const openBackups = () => openRepository({ store, secret: null, fillRandom, createAt: systemClock.now() });
const standby = join(folder, "second/standby");
const follow = { standby, openRepository: openBackups, signal };
const random = randomFrom(1);

const rows: string[][] = [];
async function measure(name: string, work: () => Promise<number | undefined>): Promise<void> {
  const startedMs = performance.now();
  const cpu = process.cpuUsage();
  const bytes = await work();
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
  const size = bytes === undefined ? "" : `${(bytes / 1e6).toFixed(1)} MB`;
  rows.push([name, seconds(performance.now() - startedMs), seconds((user + system) / 1_000), size]);
}

async function backUp(name: string): Promise<void> {
  await measure(name, async () => {
    const { storedBytes } = await makeBackup({
      databasePath,
      descriptor: undefined,
      repository: await openBackups(),
      keep: 14,
      outcomes: { lineage: null, completed: null },
      configuration: undefined,
      version: "bench",
      opensDatabase: false,
      owner: { host: "bench", pid: process.pid, token: "00" },
      isRunning: () => true,
      clock: systemClock,
      fillRandom,
      signal,
    });
    return storedBytes;
  });
}

const fetchOnce = async () => (await fetchNewest(follow))!.fetchedBytes;
await backUp("first backup");
await measure("first fetch", fetchOnce);
for (let cycle = 1; cycle <= cycles; cycle++) {
  // Threats change everywhere in the database, as by lookups.
  const change = sqlite.query("UPDATE threats SET changed_at = changed_at + 1 WHERE seq = ?");
  sqlite.transaction(() => {
    for (let index = 0; index < changes; index++) change.run(1 + random.below(threats));
  })();
  await Bun.sleep(1_000);
  await backUp(`backup after ${changes} changes`);
  await measure("fetch of it", fetchOnce);
}
await measure("promotion", async () => {
  await promote({
    ...follow,
    databasePath: join(folder, "second/phishwatch.db"),
    schedule: null,
    force: true,
    by: { channel: "command_line", name: "bench", address: null },
    clock: systemClock,
  });
  return undefined;
});
console.log(`database with ${threats} threats: ${(statSync(databasePath).size / 1e6).toFixed(0)} MB\n`);
console.log(formatTable(["", "time", "CPU", "bytes in the store"], rows));
process.exit(0);
