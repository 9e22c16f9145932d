import { Database as Sqlite } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../../../src/platform/database/database.ts";
import { truncateLogNow } from "../../../../src/platform/database/health/housekeeping.ts";
import { createLog } from "../../../../src/platform/lib/log.ts";
import { manualClock } from "../../../support/appliance.ts";
import { commandFolder, defaultConfig, type CommandFolder } from "../../../support/command-line.ts";
import { until } from "../../../support/until.ts";

const key = "a-declared-key-0123456789";
// Without the archive of names: after a restore, it would be checked again, and record what was not acknowledged.
const config = `${defaultConfig}\n[archive]\nenabled = false\n[[api_keys]]\nname = "ci"\nkey = "${key}"\nscopes = ["candidates:write", "threats:read"]\n`;

let folder: CommandFolder;
let path: string;
let running: Awaited<ReturnType<CommandFolder["serve"]>> | undefined;
beforeEach(() => {
  folder = commandFolder(config);
  folder.createDatabase();
  path = join(folder.path, "data/test.db");
});
afterEach(async () => {
  await running?.stop("SIGKILL");
  running = undefined;
  folder.dispose();
});

const sideFiles = () => [`${path}-wal`, `${path}-shm`];
async function start() {
  running = await folder.serve();
  // The server responds before it stores the first password, and does not start without.
  await until(hasFirstStarted, "the first start is recorded");
}
function hasFirstStarted(): boolean {
  const sqlite = new Sqlite(path, { readonly: true });
  try {
    return sqlite.query("SELECT 1 FROM settings WHERE name = 'first_started_at'").get() !== null;
  } finally {
    sqlite.close();
  }
}
async function end(signal: NodeJS.Signals = "SIGTERM") {
  const ended = await running!.stop(signal);
  running = undefined;
  return ended;
}
const headers = { authorization: `Bearer ${key}` };

/** Submits a look-alike and returns the status of the response. */
async function submit(domain: string): Promise<number> {
  const request = { method: "POST", headers: { ...headers, "content-type": "text/plain" }, body: domain };
  return (await fetch(`${running!.url}/v1/candidates`, request)).status;
}

async function recorded(): Promise<string[]> {
  const response = await fetch(`${running!.url}/v1/threats`, { headers });
  expect(response.status).toBe(200);
  const { data } = (await response.json()) as { data: { domain: string }[] };
  return data.map(({ domain }) => domain).sort();
}

async function readiness() {
  const response = await fetch(`${running!.url}/readyz`);
  const { checks } = (await response.json()) as { checks: { database: string; disk: string } };
  return { status: response.status, checks };
}

const notReady = () => until(async () => (await readiness()).status === 503, "the server is not ready");

/** A backup that contains other threats than the server will. */
async function otherDatabase(): Promise<string> {
  const copy = join(folder.path, "copy.db");
  await start();
  expect(await submit("example-bank-login.com")).toBe(200);
  expect((await folder.run(["backup", copy])).code).toBe(0);
  return copy;
}

const saved = () => readdirSync(join(folder.path, "data")).filter((name) => name.includes(".lost-"));

/** Restores the copy that the server has made of a lost file. */
async function restoreSaved(): Promise<void> {
  const [name] = saved();
  expect(name).toMatch(/^test\.db\.lost-\d{8}T\d{6}$/);
  const { code, err } = await folder.run(["restore", join("data", name!)]);
  expect({ code, err }).toMatchObject({ code: 0 });
}

test("A change is not acknowledged once the database was removed, and everything acknowledged before is kept", async () => {
  await start();
  expect(await submit("example-bank-a.com")).toBe(200);
  for (const file of [path, ...sideFiles()]) rmSync(file);
  // Without any wait: the first request after the removal.
  expect(await submit("example-bank-b.com")).toBe(500);
  await notReady();
  expect((await readiness()).checks.database).toContain("its file was removed");
  expect(await recorded()).toEqual(["example-bank-a.com"]);
  await until(() => saved().some((name) => !name.endsWith(".partial")), "the data is saved");
  const command = await folder.run(["threats", "list"]);
  expect(command.code).toBe(1);
  expect(command.err).toContain("a server is running, but its database file is gone");
  expect(existsSync(path)).toBe(false);
  const { err } = await end();
  expect(err.match(/"change":"removed"/g)?.length).toBe(1);
  expect(readdirSync(join(folder.path, "data"))).not.toContain("test.db-wal");
  await restoreSaved();
  await start();
  expect(await recorded()).toEqual(["example-bank-a.com"]);
  expect(await submit("example-bank-b.com")).toBe(200);
});

test("A change is not acknowledged once the database alone was removed, and a kill afterward loses nothing acknowledged", async () => {
  await start();
  expect(await submit("example-bank-a.com")).toBe(200);
  rmSync(path);
  expect(await submit("example-bank-b.com")).toBe(500);
  await until(() => saved().some((name) => !name.endsWith(".partial")), "the data is saved");
  await end("SIGKILL");
  expect(sideFiles().filter((file) => existsSync(file))).toEqual([]);
  await restoreSaved();
  await start();
  expect(await recorded()).toEqual(["example-bank-a.com"]);
});

describe.each<NodeJS.Signals>(["SIGTERM", "SIGKILL"])("after %s", (signal) => {
  test("a backup that was moved over the database is found as it was, and the old data is kept", async () => {
    const copy = await otherDatabase();
    expect(await submit("example-bank-a.com")).toBe(200);
    const backup = readFileSync(copy);
    renameSync(copy, path);
    expect(await submit("example-bank-b.com")).toBe(500);
    await notReady();
    expect((await readiness()).checks.database).toContain("another file is at its path");
    await until(() => saved().some((name) => !name.endsWith(".partial")), "the data is saved");
    await end(signal);
    expect(readFileSync(path).equals(backup)).toBe(true);
    expect(sideFiles().filter((file) => existsSync(file))).toEqual([]);
    await start();
    expect(await recorded()).toEqual(["example-bank-login.com"]);
    expect((await readiness()).status).toBe(200);
    await end();
    await restoreSaved();
    await start();
    expect(await recorded()).toEqual(["example-bank-a.com", "example-bank-login.com"]);
  });

  test("a backup that was copied over the database is found as it was", async () => {
    const copy = await otherDatabase();
    expect(await submit("example-bank-a.com")).toBe(200);
    const backup = readFileSync(copy);
    copyFileSync(copy, path);
    expect(await submit("example-bank-b.com")).toBe(500);
    await notReady();
    expect((await readiness()).checks.database).toContain("its file was overwritten");
    await until(() => sideFiles().every((file) => !existsSync(file)), "the log is set aside");
    await end(signal);
    expect(readFileSync(path).equals(backup)).toBe(true);
    await start();
    expect(await recorded()).toEqual(["example-bank-login.com"]);
  });
});

test.each([
  ["and", () => {}],
  // Another connection finds no log and creates an empty one.
  ["also if somebody reads meanwhile, and", () => void hasFirstStarted()],
])(
  "Changes are refused once the write-ahead log was removed, %s a restart finds everything acknowledged",
  async (_, read) => {
    await start();
    expect(await submit("example-bank-a.com")).toBe(200);
    for (const file of sideFiles()) rmSync(file);
    read();
    expect(await submit("example-bank-b.com")).toBe(500);
    await notReady();
    expect((await readiness()).checks.database).toContain("write-ahead log");
    await until(() => isInFile(), "the log is in the file");
    await end("SIGKILL");
    await start();
    expect(await recorded()).toEqual(["example-bank-a.com"]);

    /** Returns whether the file alone has the threat. Its pages are written one after the other. */
    function isInFile(): boolean {
      const copy = `${path}.copy`;
      copyFileSync(path, copy);
      const sqlite = new Sqlite(copy);
      try {
        const isIntact = sqlite.query("PRAGMA quick_check").values().flat().join() === "ok";
        return (
          isIntact && sqlite.query("SELECT 1 FROM threats WHERE domain = 'example-bank-a.com'").get() !== null
        );
      } catch {
        return false;
      } finally {
        sqlite.close();
      }
    }
  },
);

test("A backup that overwrites a killed server's database is not mixed with the old write-ahead log", async () => {
  const copy = await otherDatabase();
  await end();
  await start();
  expect(await submit("example-bank-a.com")).toBe(200);
  await end("SIGKILL");
  const backup = readFileSync(copy);
  // The same file with other content.
  writeFileSync(path, backup);
  for (const args of [["serve"], ["threats", "list"], ["check"]]) {
    const { code, out, err } = await folder.run(args);
    expect(code).toBe(1);
    expect(out + err).toContain("belongs to another database file");
  }
  expect(readFileSync(path).equals(backup)).toBe(true);
  for (const file of sideFiles()) rmSync(file, { force: true });
  await start();
  expect(await recorded()).toEqual(["example-bank-login.com"]);
});

test("A killed server continues with its own write-ahead log", async () => {
  await start();
  expect(await submit("example-bank-a.com")).toBe(200);
  await end("SIGKILL");
  expect(existsSync(`${path}-wal`)).toBe(true);
  await start();
  expect(await recorded()).toEqual(["example-bank-a.com"]);
});

test("A hard link to the database does not bypass the lock, neither before nor after the start", async () => {
  await start();
  const other = join(folder.path, "data/other.db");
  linkSync(path, other);
  const second = commandFolder(config.replace("data/test.db", other));
  try {
    for (const args of [["serve"], ["threats", "list"], ["check"]]) {
      const { code, out, err } = await second.run(args);
      expect(code).toBe(1);
      expect(out + err).toContain("has 2 names (hard links)");
    }
  } finally {
    second.dispose();
  }
  await notReady();
  expect((await readiness()).checks.database).toContain("hard link");
  rmSync(other);
  await until(async () => (await readiness()).status === 200, "the server is ready again");
  await end();
  linkSync(path, other);
  const { code, err } = await folder.run(["serve"]);
  expect(code).toBe(1);
  expect(err).toContain("has 2 names (hard links)");
});

test.each<NodeJS.Signals>(["SIGTERM", "SIGKILL"])(
  "Changes are refused once the write-ahead log was truncated, and everything acknowledged before is saved, also before %s",
  async (signal) => {
    await start();
    expect(await submit("example-bank-a.com")).toBe(200);
    truncateSync(`${path}-wal`, 0);
    // Without any wait: the first request afterward.
    expect(await submit("example-bank-b.com")).toBe(500);
    expect((await readiness()).checks.database).toContain("its write-ahead log (-wal) was truncated");
    await until(() => saved().some((name) => !name.endsWith(".partial")), "the data is saved");
    await until(() => sideFiles().every((file) => !existsSync(file)), "the log is set aside");
    await end(signal);
    await restoreSaved();
    await start();
    expect(await recorded()).toEqual(["example-bank-a.com"]);
    expect(await submit("example-bank-b.com")).toBe(200);
  },
);

test("A log that the server itself shortens is no change, whatever it writes meanwhile", () => {
  const database = openDatabase(path);
  const log = createLog({ level: "silent", format: "json", clock: manualClock(), write() {} });
  database.serve(log);
  for (let round = 0; round < 200; round++) {
    database.sqlite.run(
      "INSERT OR REPLACE INTO settings (name, value, updated_at) VALUES ('a', zeroblob(20000), 1)",
    );
    if (round % 3 === 0) expect(truncateLogNow(database)).toBe(true);
    else if (round % 3 === 1) database.sqlite.run("PRAGMA wal_checkpoint(RESTART)");
    expect(database.file!.change()).toBeUndefined();
  }
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
  truncateSync(`${path}-wal`, 100);
  expect(database.file!.change()).toBe("log_truncated");
  database.close();
});
