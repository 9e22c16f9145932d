import { Database as Sqlite } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { takeServeLock } from "../../../src/platform/database/lock.ts";
import { migrateDatabase } from "../../../src/platform/database/migrate.ts";
import { temporaryFolder } from "../../support/appliance.ts";

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, "nested", "phishwatch.db");
});
afterEach(() => folder.dispose());

const schemaOf = (sqlite: Sqlite) =>
  sqlite
    .query<{ sql: string }, []>(
      "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE '\\_\\_%' ESCAPE '\\' ORDER BY type, name",
    )
    .all()
    .map(({ sql }) => sql);

describe("opening", () => {
  test("creates the folder and the tables, with durable commits and foreign keys", () => {
    const database = openDatabase(path);
    const pragma = (name: string) =>
      Object.values(database.sqlite.query(`PRAGMA ${name}`).get() as object)[0];
    expect(pragma("journal_mode")).toBe("wal");
    expect(pragma("synchronous")).toBe(2);
    expect(pragma("foreign_keys")).toBe(1);
    expect(pragma("busy_timeout")).toBeGreaterThan(0);
    database.close();
    expect(readdirSync(join(folder.path, "nested"))).toEqual(["phishwatch.db"]);
  });

  test("creates a new database that only its owner can read", () => {
    const before = process.umask(0o022);
    try {
      const database = openDatabase(path);
      database.sqlite.run("CREATE TABLE more (x)");
      for (const end of ["", "-wal", "-shm"]) expect(statSync(`${path}${end}`).mode & 0o777).toBe(0o600);
      database.close();
    } finally {
      process.umask(before);
    }
  });

  test("writes nothing to a database that is up to date", () => {
    openDatabase(path).close();
    const database = openDatabase(path);
    expect(statSync(`${path}-wal`).size).toBe(0);
    database.close();
  });

  test("applies no migration twice", () => {
    openDatabase(path).close();
    const database = openDatabase(path);
    const before = schemaOf(database.sqlite);
    database.close();
    const again = openDatabase(path);
    expect(schemaOf(again.sqlite)).toEqual(before);
    again.close();
  });

  test.each([
    [
      "a file that is not a database",
      () => writeFileSync(path, "this is no database, but long enough to be one. ".repeat(40)),
      "damaged or not a database",
    ],
    ["a folder in its place", () => mkdirSync(path), "cannot be opened"],
  ])("%s is rejected with a message that names the file and the remedy", (_, prepare, message) => {
    mkdirSync(join(folder.path, "nested"));
    prepare();
    expect(() => openDatabase(path)).toThrow(message);
    expect(() => openDatabase(path)).toThrow(path);
  });

  test("a damaged database is rejected and left unchanged", () => {
    openDatabase(path).close();
    const bytes = readFileSync(path);
    bytes.fill(0xaa, 0, 4_096);
    writeFileSync(path, bytes);
    expect(() => openDatabase(path)).toThrow("damaged or not a database");
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  test("a database of a newer version is rejected", () => {
    const database = openDatabase(path);
    database.sqlite.run(
      "INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('future', 9999999999999)",
    );
    database.close();
    expect(() => openDatabase(path)).toThrow("newer version");
  });

  test("a database with other migrations is rejected, even with the same number", () => {
    const database = openDatabase(path);
    database.sqlite.run("UPDATE __drizzle_migrations SET created_at = created_at - 1");
    database.close();
    expect(() => openDatabase(path)).toThrow("pre-release version");
  });
});

describe("migrations", () => {
  test("migrate an older database with threats to the same tables as a new one and keep its rows", () => {
    // The first migration alone is the oldest file there can be.
    const older = join(folder.path, "older");
    cpSync("drizzle", older, { recursive: true });
    const journalPath = join(older, "meta", "_journal.json");
    const journal = JSON.parse(readFileSync(journalPath, "utf8"));
    writeFileSync(journalPath, JSON.stringify({ ...journal, entries: journal.entries.slice(0, 1) }));
    const old = new Sqlite(join(folder.path, "old.db"));
    migrateDatabase(old, older);
    old.run(
      "INSERT INTO protected_domains (id, domain, keywords, allow, origin, enabled, created_at, updated_at) VALUES ('dom_1', 'example-bank.com', '[]', '[]', 'file', 1, 1, 1)",
    );
    old.close();

    const upgraded = openDatabase(join(folder.path, "old.db"));
    const fresh = openDatabase(path);
    expect(schemaOf(upgraded.sqlite)).toEqual(schemaOf(fresh.sqlite));
    expect(upgraded.sqlite.query("SELECT domain FROM protected_domains").all()).toEqual([
      { domain: "example-bank.com" },
    ]);
    upgraded.close();
    fresh.close();
  });

  test("report a journal out of order instead of silently skipping a migration", () => {
    const broken = join(folder.path, "broken");
    cpSync("drizzle", broken, { recursive: true });
    const journalPath = join(broken, "meta", "_journal.json");
    const journal = JSON.parse(readFileSync(journalPath, "utf8"));
    const sqlite = new Sqlite(join(folder.path, "broken.db"));
    const [first, second] = journal.entries;
    const write = (entries: object[]) => writeFileSync(journalPath, JSON.stringify({ ...journal, entries }));
    write([first, second]);
    migrateDatabase(sqlite, broken);
    // A migration that was merged late: older than the last applied one.
    cpSync(join(broken, `${second.tag}.sql`), join(broken, "0002_late.sql"));
    write([first, { ...second, tag: "0002_late", when: first.when + 1 }, second]);
    expect(() => migrateDatabase(sqlite, broken)).toThrow("out of order");
    sqlite.close();
  });
});

describe("transactions", () => {
  test("roll back everything when the work throws, and call no callback", () => {
    const database = openDatabase(path);
    const insert = () =>
      database.sqlite.run("INSERT INTO settings (name, value, updated_at) VALUES ('a', 'b', 1)");
    let calls = 0;
    expect(() =>
      database.transaction(() => {
        insert();
        database.afterCommit(() => void (calls += 1));
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(database.sqlite.query("SELECT * FROM settings").all()).toEqual([]);
    database.transaction(() => {
      database.transaction(() => void insert());
      expect(calls).toBe(0);
      database.afterCommit(() => void (calls += 1));
    });
    expect(calls).toBe(1);
    database.close();
  });

  test("of one turn of the event loop share a commit, and a failed one is rolled back alone", async () => {
    const database = openDatabase(path);
    let calls = 0;
    const callback = () => void (calls += 1);
    const insert = (name: string) => {
      database.sqlite.run("INSERT INTO settings (name, value, updated_at) VALUES (?, '', 1)", [name]);
      database.afterCommit(callback);
      return name;
    };
    const outcomes = await Promise.allSettled([
      database.write(() => insert("first")),
      database.write(() => {
        insert("undone");
        throw new Error("no");
      }),
      database.write(() => insert("last")),
    ]);
    expect(outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : "rejected"))).toEqual([
      "first",
      "rejected",
      "last",
    ]);
    expect(database.sqlite.query("SELECT name FROM settings ORDER BY name").all()).toEqual([
      { name: "first" },
      { name: "last" },
    ]);
    expect(calls).toBe(1);
    database.close();
  });

  test("are not reported as failed if a callback after their commit throws", async () => {
    const database = openDatabase(path);
    const written = database.write(() => {
      database.sqlite.run("INSERT INTO settings (name, value, updated_at) VALUES ('a', 'b', 1)");
      database.afterCommit(() => {
        throw new Error("no");
      });
      return "committed";
    });
    expect(await written).toBe("committed");
    expect(await database.write(() => "the next one")).toBe("the next one");
    database.close();
  });

  test("that cannot be committed fail together and change nothing", async () => {
    const database = openDatabase(path);
    // The disk is full: SQLite may not grow by a single page.
    const { page_count: pages } = database.sqlite
      .query<{ page_count: number }, []>("PRAGMA page_count")
      .get()!;
    database.sqlite.run(`PRAGMA max_page_count = ${pages}`);
    const big = "x".repeat(100_000);
    const insert = (name: string, value: string) => () =>
      void database.sqlite.run("INSERT INTO settings (name, value, updated_at) VALUES (?, ?, 1)", [
        name,
        value,
      ]);
    const outcomes = await Promise.allSettled([
      database.write(insert("small", "")),
      database.write(insert("big", big)),
    ]);
    expect(outcomes.map(({ status }) => status)).toContain("rejected");
    const kept = database.sqlite.query<{ name: string }, []>("SELECT name FROM settings").all();
    expect(kept.length).toBe(outcomes.filter(({ status }) => status === "fulfilled").length);
    expect(database.sqlite.inTransaction).toBe(false);
    database.close();
  });

  test("reject a promise at compile time", () => {
    const database = openDatabase(path);
    // @ts-expect-error SQLite would commit at the first await.
    void database.transaction(async () => {});
    database.close();
  });

  test("detect commits of another process, not their own", () => {
    const database = openDatabase(path);
    const before = database.foreignVersion();
    database.sqlite.run("INSERT INTO settings (name, value, updated_at) VALUES ('a', 'b', 1)");
    expect(database.foreignVersion()).toBe(before);
    const other = openDatabase(path);
    other.sqlite.run("DELETE FROM settings");
    other.close();
    expect(database.foreignVersion()).not.toBe(before);
    database.close();
  });
});

describe("a snapshot", () => {
  test("shows one state of the database while another process commits", () => {
    const database = openDatabase(path);
    const other = openDatabase(path);
    const count = () =>
      database.sqlite.query<{ n: number }, []>("select count(*) as n from settings").get()!.n;
    const insert = () =>
      other.sqlite.run("insert into settings (name, value, updated_at) values (hex(randomblob(8)), '', 0)");
    const seen = database.snapshot(() => {
      const before = count();
      insert();
      return [before, count()];
    });
    expect(seen).toEqual([0, 0]);
    expect(count()).toBe(1);
    other.close();
    database.close();
  });

  test("ends when its work throws, and joins a transaction", () => {
    const database = openDatabase(path);
    expect(() =>
      database.snapshot(() => {
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(database.sqlite.inTransaction).toBe(false);
    expect(database.transaction(() => database.snapshot(() => 1) + database.snapshot(() => 2))).toBe(3);
    database.close();
  });
});

describe("the lock for serving a database", () => {
  test("is held by one process, and free after its release", () => {
    openDatabase(path).close();
    const lock = takeServeLock(path);
    expect(() => takeServeLock(path)).toThrow(/another phishwatch is already serving .*phishwatch\.db/);
    lock.release();
    takeServeLock(path).release();
  });

  test("is the same lock through every symbolic link to the database", () => {
    openDatabase(path).close();
    const inside = dirname(path);
    const link = `${inside}-link`;
    symlinkSync(inside, link);
    symlinkSync(path, join(inside, "link.db"));
    const lock = takeServeLock(path);
    try {
      for (const other of [join(link, basename(path)), join(inside, "link.db")])
        expect(() => takeServeLock(other)).toThrow("already serving");
    } finally {
      lock.release();
    }
  });

  test("is a file that only its owner can read, also if another user could before, so that nobody else can hold it", () => {
    openDatabase(path).close();
    takeServeLock(path).release();
    expect(statSync(`${path}.lock`).mode & 0o777).toBe(0o600);
    chmodSync(`${path}.lock`, 0o644);
    takeServeLock(path).release();
    expect(statSync(`${path}.lock`).mode & 0o777).toBe(0o600);
  });

  test("names the process that holds it, if that is no phishwatch", async () => {
    openDatabase(path).close();
    takeServeLock(path).release();
    // Not the program of this process, which counts as phishwatch.
    const other = join(dirname(path), "holder");
    copyFileSync(process.execPath, other);
    const script = `const lock = new (require("bun:sqlite").Database)(${JSON.stringify(`${path}.lock`)}); lock.run("BEGIN"); lock.query("SELECT * FROM sqlite_master").all(); console.log("held"); setInterval(() => lock, 1000);`;
    const child = Bun.spawn([other, "-e", script], { stdout: "pipe", stderr: "ignore" });
    try {
      await child.stdout.getReader().read();
      expect(() => takeServeLock(path)).toThrow(`holder (process ${child.pid}), which is no phishwatch`);
    } finally {
      child.kill("SIGKILL");
      await child.exited;
    }
  });

  test("ends with its process, even when it is killed", async () => {
    openDatabase(path).close();
    const lockModule = join(import.meta.dir, "../../../src/platform/database/lock.ts");
    const script = `import { takeServeLock } from ${JSON.stringify(lockModule)}; globalThis.lock = takeServeLock(${JSON.stringify(path)}); console.log("held"); setInterval(() => {}, 1000);`;
    const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "ignore" });
    try {
      await child.stdout.getReader().read();
      expect(() => takeServeLock(path)).toThrow("already serving");
    } finally {
      child.kill("SIGKILL");
    }
    await child.exited;
    takeServeLock(path).release();
  });
});
