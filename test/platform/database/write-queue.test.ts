import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, type Database } from "../../../src/platform/database/database.ts";
import { commandOf, findLockHolder, pidOfWriteLock } from "../../../src/platform/database/lock-watch.ts";
import { createTransactions } from "../../../src/platform/database/transactions.ts";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { messageOf } from "../../../src/platform/lib/errors.ts";
import { createLog } from "../../../src/platform/lib/log.ts";
import { temporaryFolder } from "../../support/appliance.ts";
import { holdWriteLock } from "../../support/lock-holder.ts";
import { until } from "../../support/until.ts";

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
let database: Database;
let logged: string[];
let release: (() => Promise<void>) | undefined;

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, "phishwatch.db");
  database = openDatabase(path);
  logged = [];
  database.serve(
    createLog({ level: "info", format: "json", clock: systemClock, write: (line) => void logged.push(line) }),
  );
});
afterEach(async () => {
  await release?.();
  release = undefined;
  database.close();
  folder.dispose();
});

async function hold(): Promise<number> {
  const holder = await holdWriteLock(path);
  release = holder.release;
  return holder.pid;
}

const insert = (name: string) => () => {
  database.sqlite.run("INSERT INTO settings (name, value, updated_at) VALUES (?, '', 1)", [name]);
  return name;
};
const names = () =>
  database.sqlite
    .query<{ name: string }, []>("SELECT name FROM settings ORDER BY rowid")
    .all()
    .map(({ name }) => name);
const entries = () => logged.map((line) => JSON.parse(line) as Record<string, unknown>);

describe("while another process holds the write lock", () => {
  test("a write waits without blocking the process, and is carried out after the release", async () => {
    await hold();
    let turns = 0;
    const write = database.write(insert("one"), { patient: true });
    await until(() => (turns += 1) > 50, "fifty turns of the event loop");
    expect(names()).toEqual([]);
    await release?.();
    expect(await write).toBe("one");
    expect(names()).toEqual(["one"]);
  });

  test("a write is rejected after about a second, and has changed nothing", async () => {
    const pid = await hold();
    const startedAt = performance.now();
    const failure = await database.write(insert("one")).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: "DatabaseLockedError", code: "SQLITE_BUSY" });
    expect((failure as Error).message).toContain(`pid ${pid}`);
    const waitedMs = performance.now() - startedAt;
    expect(waitedMs).toBeGreaterThan(900);
    expect(waitedMs).toBeLessThan(10_000);
    await release?.();
    expect(names()).toEqual([]);
  });

  test("writes keep the order of the calls", async () => {
    await hold();
    const wanted = Array.from({ length: 30 }, (_, index) => `number ${index}`);
    const writes = wanted.map((name) => database.write(insert(name), { patient: true }));
    await release?.();
    await Promise.all(writes);
    expect(names()).toEqual(wanted);
  });

  test("the log names its holder once, and reports the release", async () => {
    const pid = await hold();
    await Promise.allSettled(Array.from({ length: 20 }, (_, index) => database.write(insert(`${index}`))));
    expect(database.lockIncident()).toMatchObject({ holder: { pid } });
    expect(entries()).toHaveLength(1);
    expect(entries()[0]).toMatchObject({ level: "error", code: "database_locked", pid });
    await release?.();
    await until(() => database.lockIncident() === undefined, "the incident ends");
    expect(entries()).toHaveLength(2);
    expect(entries()[1]).toMatchObject({ level: "info", code: "database_locked", pid });
    expect(await database.write(insert("after"))).toBe("after");
  });

  test("a patient write is rejected when the shutdown does not permit it to wait any longer", async () => {
    await hold();
    const write = database.write(insert("one"), { patient: true }).catch((error: unknown) => error);
    database.endPatience();
    expect(await write).toMatchObject({ name: "DatabaseLockedError" });
  });

  test("a write that has waited for a large decision still waits for the lock", async () => {
    // The time stands still otherwise, so that no pause of this process counts as a wait for the lock.
    const startedAt = performance.now();
    let shiftMs = 0;
    const clock = spyOn(performance, "now").mockImplementation(() => startedAt + shiftMs);
    try {
      const decision = Promise.withResolvers<void>();
      const elsewhere = database.writeInThread(() => decision.promise);
      const write = database.write(insert("one"));
      await hold();
      shiftMs = 5_000;
      decision.resolve();
      await elsewhere;
      let turns = 0;
      await until(() => (turns += 1) > 50, "fifty turns of the event loop");
      shiftMs = 0;
      await release?.();
      expect(await write).toBe("one");
      expect(entries()).toEqual([]);
    } finally {
      clock.mockRestore();
    }
  });

  test("a decision of a thread that cannot take the lock is reported, and so is the end", async () => {
    const busy = Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });
    const failure = database.writeInThread(() => Promise.reject(busy)).catch((error: unknown) => error);
    expect(await failure).toBe(busy);
    await until(() => database.lockIncident() === undefined && logged.length > 0, "the incident ends");
    expect(entries().map(({ event }) => event)).toEqual(["database.locked", "database.unlocked"]);
  });

  test("closing the database rejects what is still waiting", async () => {
    await hold();
    const write = database.write(insert("one"), { patient: true }).catch((error: unknown) => error);
    database.close();
    expect(await write).toMatchObject({ message: "the database is closed" });
    database = openDatabase(join(folder.path, "other.db"));
  });
});

describe("a write that fills the disk", () => {
  beforeEach(() => {
    const { page_count: pages } = database.sqlite
      .query<{ page_count: number }, []>("PRAGMA page_count")
      .get()!;
    database.sqlite.run(`PRAGMA max_page_count = ${pages + 5}`);
  });
  const large = insert("x".repeat(1 << 20));

  test("is rejected, and later ones are carried out", async () => {
    const writes = [database.write(large), database.write(insert("after"))];
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    expect(names()).toEqual(["after"]);
  });

  test("is rejected with those that were tried in its commit, and no other", () => {
    const settled: string[] = [];
    const part = (name: string, work: () => unknown) => {
      const settle = {
        resolve: () => void settled.push(`${name}: committed`),
        reject: (error: unknown) => void settled.push(`${name}: ${messageOf(error)}`),
      };
      return { work, settle, durable: true };
    };
    const parts = [part("before", insert("before")), part("large", large), part("after", insert("after"))];
    const { commitTogether } = createTransactions(database.sqlite);
    expect(commitTogether(parts, { sliceMs: Number.POSITIVE_INFINITY })).toBe(2);
    expect(settled).toEqual(["before: database or disk is full", "large: database or disk is full"]);
    expect(names()).toEqual([]);
  });
});

test("A write inside of a transaction is a programmer's error, because it could never be carried out", () => {
  expect(() => database.transaction(() => void database.write(() => {}))).toThrow("must not wait");
});

test("closing the database starts no work of another thread that still waits, and rejects it", async () => {
  let started = false;
  const before = database.write(insert("one"));
  const elsewhere = database.writeInThread(async () => void (started = true));
  const outcome = elsewhere.catch((error: Error) => error.message);
  database.close();
  expect(await before).toBe("one");
  expect(await outcome).toBe("the database is closed");
  expect(started).toBe(false);
});

describe("the holder of the lock", () => {
  test("is the process with a write lock on the byte of the lock", async () => {
    const pid = await hold();
    expect(findLockHolder(path)).toMatchObject({ pid, suspended: false });
    await release?.();
    expect(findLockHolder(path)).toBeUndefined();
  });

  test("is found by inode, range and kind of lock", () => {
    const { dev, ino } = statSync(path);
    const device = `${((dev >> 8) & 0xfff).toString(16).padStart(2, "0")}:${(dev & 0xff).toString(16).padStart(2, "0")}`;
    const locks = (...lines: string[]) => lines.map((line, index) => `${index + 1}: ${line}`).join("\n");
    const find = (...lines: string[]) => pidOfWriteLock(locks(...lines), { dev, ino });
    expect(find(`POSIX  ADVISORY  WRITE 812 ${device}:${ino} 120 120`)).toBe(812);
    expect(find(`POSIX  ADVISORY  WRITE 812 ${device}:${ino} 0 EOF`)).toBe(812);
    expect(find(`POSIX  ADVISORY  READ 812 ${device}:${ino} 120 120`)).toBeUndefined();
    expect(find(`POSIX  ADVISORY  WRITE 812 ${device}:${ino} 121 124`)).toBeUndefined();
    expect(find(`POSIX  ADVISORY  WRITE 812 ${device}:${ino + 1} 120 120`)).toBeUndefined();
    expect(find(`FLOCK  ADVISORY  WRITE 812 ${device}:${ino} 0 EOF`)).toBeUndefined();
    // A layered file system reports another device; the same device is preferred.
    expect(find(`POSIX  ADVISORY  WRITE 812 ff:ff:${ino} 120 120`)).toBe(812);
    expect(
      find(
        `POSIX  ADVISORY  WRITE 812 ff:ff:${ino} 120 120`,
        `POSIX  ADVISORY  WRITE 813 ${device}:${ino} 120 120`,
      ),
    ).toBe(813);
    // A process of another container.
    expect(find(`POSIX  ADVISORY  WRITE 0 ${device}:${ino} 120 120`)).toBeUndefined();
    expect(find(`-> POSIX  ADVISORY  WRITE 812 ${device}:${ino} 120 120`)).toBeUndefined();
  });

  test.each([
    [["/usr/bin/phishwatch", "import", "list.txt"], true, "phishwatch import"],
    [["/usr/bin/bun", "/srv/src/main.ts", "import", "list.txt"], true, "phishwatch import"],
    [["/usr/bin/phishwatch", "--config", "/etc/x.toml"], true, "phishwatch"],
    [["/usr/bin/sqlite3", "phishwatch.db", "secret"], false, "sqlite3"],
    [["python3 -c import secret"], false, "python3"],
    [["/tmp/\u202Eevil\u0007"], false, "evil"],
    [[""], false, "unknown"],
  ])("is shown without arguments: %p", (words, ours, shown) => {
    const text = commandOf(words, ours);
    expect(text).toContain(shown);
    expect(text).not.toContain("secret");
    expect(text).not.toContain("\u0007");
    expect(text).not.toContain("\u202E");
  });
});
