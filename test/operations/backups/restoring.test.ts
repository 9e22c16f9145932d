import { Database as Sqlite } from "bun:sqlite";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Actor } from "../../../src/access/audit/actor.ts";
import { adoptDatabase, keepAside } from "../../../src/platform/database/backup.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { filesOf, prepareStaging } from "../../../src/platform/database/files/pending-restore.ts";
import { takeServeLock } from "../../../src/platform/database/lock.ts";
import type { MadeBackup } from "../../../src/operations/backups/making/make-backup.ts";
import { restoreBackup } from "../../../src/operations/backups/restoring/restore-backup.ts";
import { stageFiles } from "../../../src/operations/backups/restoring/stage-files.ts";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { releasedVersions } from "../../support/released.ts";
import { runInProcess } from "../../support/run-in-process.ts";
import { backUp, openFolder } from "./support.ts";

const by: Actor = { channel: "command_line", name: "ada", address: null };
const { signal } = new AbortController();

let folder = "";
let path = "";
let id = "";

/** Writes the state of an appliance that a letter identifies. */
function writeState(letter: string): void {
  const database = openDatabase(path);
  database.sqlite.run(
    "CREATE TABLE IF NOT EXISTS letters (seq INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT)",
  );
  database.sqlite.run("INSERT INTO letters (text) VALUES (?)", [letter]);
  database.close();
  const { screenshots, archive } = filesOf(path);
  for (const one of [screenshots, archive]) mkdirSync(one, { recursive: true });
  writeFileSync(join(screenshots, "thr_1.webp"), letter);
  writeFileSync(join(archive, "2026-01-01.feed.000000000000001-000000000000002.3.segment"), letter);
}

/** Returns the letters of the database, the screenshot and the archive below a folder. */
function readState(database = path): string[] {
  const sqlite = new Sqlite(database, { readwrite: true });
  const row = sqlite.query<{ all_: string }, []>("SELECT group_concat(text, '') AS all_ FROM letters").get();
  sqlite.close();
  const { screenshots, archive } = filesOf(database);
  const segment = "2026-01-01.feed.000000000000001-000000000000002.3.segment";
  return [
    Object.values(row ?? {}).join(""),
    readFileSync(join(screenshots, "thr_1.webp"), "utf8"),
    readFileSync(join(archive, segment), "utf8"),
  ];
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "phishwatch-restoring-"));
  path = join(folder, "data", "phishwatch.db");
  mkdirSync(join(folder, "data"));
  writeState("a");
  ({ id } = await backUp(await openFolder(join(folder, "backups")), path));
  writeState("b");
});

afterEach(() => rmSync(folder, { recursive: true }));

async function restore(target = path, backup = id): Promise<string[]> {
  const repository = await openFolder(join(folder, "backups"));
  const manifest = (await repository.find(backup))!;
  const lock = takeServeLock(target);
  try {
    const at = systemClock.now();
    return (await restoreBackup({ repository, manifest, databasePath: target, by, at, signal })).keptAs;
  } finally {
    lock.release();
  }
}

describe("a restore", () => {
  test("replaces the database, the screenshots and the archive, and keeps what was there under other names", async () => {
    expect(readState()).toEqual(["ab", "b", "b"]);
    const kept = await restore();
    expect(readState()).toEqual(["a", "a", "a"]);
    expect(kept).toHaveLength(3);
    expect(kept.every((name) => existsSync(name))).toBe(true);
    const sqlite = new Sqlite(
      kept.find((name) => statSync(name).isFile())!,
      { readonly: true },
    );
    expect(sqlite.query("SELECT count(*) AS count FROM letters").get()).toEqual({ count: 2 });
    sqlite.close();
  });

  test("works in a folder that does not exist yet, and records who did it", async () => {
    const target = join(folder, "elsewhere", "deep", "phishwatch.db");
    expect(await restore(target)).toEqual([]);
    expect(readState(target)).toEqual(["a", "a", "a"]);
    const sqlite = new Sqlite(target, { readonly: true });
    const entry = sqlite.query("SELECT subject FROM audit_log WHERE action = 'backup.restore'").get();
    sqlite.close();
    expect(entry).toEqual({ subject: id });
  });

  test("changes nothing if the list of files is longer or shorter than the manifest says", async () => {
    const repository = await openFolder(join(folder, "backups"));
    const { hash: _, ...manifest } = (await repository.find(id))!;
    const lies = [{ files: 3 }, { bytes: manifest.bytes + 1 }];
    for (const [index, lie] of lies.entries()) {
      const other = `2027-01-01-00000${index}`;
      await repository.add({ ...manifest, ...lie, id: other });
      await expect(restore(path, other)).rejects.toThrow("is not one of");
    }
    expect(readState()).toEqual(["ab", "b", "b"]);
    expect(readdirSync(join(folder, "data")).filter((name) => /restor/.test(name))).toEqual([]);
  });

  test("changes nothing if the backup is damaged", async () => {
    const chunks = join(folder, "backups", "chunks");
    const files = readdirSync(chunks, { recursive: true, encoding: "utf8" }).map((name) =>
      join(chunks, name),
    );
    const largest = files
      .filter((name) => statSync(name).isFile())
      .sort((a, b) => statSync(b).size - statSync(a).size)[0]!;
    writeFileSync(largest, "not what it was");
    await expect(restore()).rejects.toThrow("is damaged");
    expect(readState()).toEqual(["ab", "b", "b"]);
    expect(readdirSync(join(folder, "data")).filter((name) => /restor/.test(name))).toEqual([]);
  });
});

/** The steps of a restore after its plan. A killed one has taken some of them. */
const steps: ((staged: string, stamp: string) => void)[] = [
  (_, stamp) =>
    renameSync(
      join(folder, "data", "screenshots"),
      join(folder, "data", `screenshots.before-restore-${stamp}`),
    ),
  (staged) => renameSync(join(staged, "screenshots"), join(folder, "data", "screenshots")),
  (_, stamp) => renameSync(`${path}.archive`, `${path}.archive.before-restore-${stamp}`),
  (staged) => renameSync(join(staged, "archive"), `${path}.archive`),
  (staged) => renameSync(join(staged, "database"), path),
  (staged) => rmSync(join(staged, "plan.json")),
];

describe("a restore that is killed", () => {
  async function stage() {
    const repository = await openFolder(join(folder, "backups"));
    const manifest = (await repository.find(id))!;
    const files = prepareStaging(path);
    await stageFiles({ store: repository.store, manifest, files, signal });
    adoptDatabase(files.database, "the backup", () => {});
    keepAside(path, "20260101T000000");
    return `${path}.restoring`;
  }

  test("before its plan is written has changed nothing after the next start", async () => {
    const staged = await stage();
    takeServeLock(path).release();
    expect(existsSync(staged)).toBe(false);
    expect(readState()).toEqual(["ab", "b", "b"]);
    expect(statSync(path).nlink).toBe(1);
  });

  test.each(steps.map((_, index) => [index] as const))(
    "after %i steps of its plan is completed by the next start",
    async (count) => {
      const staged = await stage();
      writeFileSync(join(staged, "plan.json"), JSON.stringify({ stamp: "20260101T000000" }));
      for (const step of steps.slice(0, count)) step(staged, "20260101T000000");
      takeServeLock(path).release();
      expect(existsSync(staged)).toBe(false);
      expect(readState()).toEqual(["a", "a", "a"]);
    },
  );

  test("is completed also if the plan is damaged, because only names depend on its content", async () => {
    const staged = await stage();
    writeFileSync(join(staged, "plan.json"), '{"stamp":"2026');
    takeServeLock(path).release();
    expect(readState()).toEqual(["a", "a", "a"]);
    expect(existsSync(`${path}.archive.before-restore-0`)).toBe(true);
  });
});

describe("the commands", () => {
  test("restore a backup with its configuration file on a machine that has none", async () => {
    const machine = join(folder, "machine");
    mkdirSync(machine);
    const config = join(machine, "phishwatch.toml");
    const { code, err } = await runInProcess([
      "restore",
      "--from",
      join(folder, "backups"),
      "--config",
      config,
    ]);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(readState(join(machine, "phishwatch.db"))).toEqual(["a", "a", "a"]);
    expect(statSync(config).mode & 0o777).toBe(0o600);
    const args = ["--from", join(folder, "backups"), "--config", config];
    const verified = await runInProcess([
      "backup",
      "verify",
      "--restore",
      "--to",
      join(folder, "backups"),
      "--config",
      config,
    ]);
    expect(verified).toMatchObject({ code: 0, err: "" });
    expect(verified.out).toContain(`${id} can be restored`);
    const listed = await runInProcess(["backups", "list", "--json", ...args]);
    expect(JSON.parse(listed.out)).toMatchObject({ id, version: "0.3.0", files: 4, problem: null });
    expect(readdirSync(machine).filter((name) => name.includes("rehearsal"))).toEqual([]);
  });

  test("rehearse no restore that would fill the disk of the server", async () => {
    const place = join(folder, "backups");
    const repository = await openFolder(place);
    const { hash: _, ...manifest } = (await repository.find(id))!;
    await repository.add({ ...manifest, bytes: 2 ** 50, id: "2027-01-01-000000" });
    const config = join(folder, "phishwatch.toml");
    writeFileSync(config, '[storage]\npath = "data/phishwatch.db"\n[backup]\nfolder = "backups"\n');
    const { code, err } = await runInProcess(["backups", "verify", "--restore", "--config", config]);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("are free; make room") });
  });

  test("restore no database to a path that another program could read, or over another file", async () => {
    const machine = join(folder, "machine");
    mkdirSync(machine);
    writeFileSync(join(machine, "other.db"), "other");
    for (const [name, message] of [
      ["profile.sh", "its name does not end in .db"],
      ["other.db", "it exists, and is not a database of phishwatch"],
    ]) {
      const place = join(folder, "by others");
      const repository = await openFolder(place);
      await backUp(repository, path, { configuration: `[storage]\npath = "${join(machine, name!)}"\n` });
      const config = join(machine, "new", "phishwatch.toml");
      const { code, err } = await runInProcess(["restore", "--from", place, "--config", config]);
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(message!) });
    }
    expect(readdirSync(machine)).toEqual(["other.db"]);
  });

  // Only root can give files away.
  test.skipIf(process.getuid?.() !== 0)(
    "restore and back up nothing as root in a folder of another user",
    async () => {
      const config = join(folder, "phishwatch.toml");
      writeFileSync(config, '[storage]\npath = "data/phishwatch.db"\n[backup]\nfolder = "backups"\n');
      chownSync(join(folder, "data"), 4242, 4242);
      const before = readState();
      const { code, err } = await runInProcess(["restore", "--config", config]);
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("sudo -u \\#4242 phishwatch") });
      const backup = await runInProcess(["backup", "--config", config]);
      expect(backup).toMatchObject({ code: 1, err: expect.stringContaining("sudo -u \\#4242 phishwatch") });
      expect(readState()).toEqual(before);
    },
  );

  test("make a backup, restore it, and list and delete what the restore replaced", async () => {
    const config = join(folder, "phishwatch.toml");
    writeFileSync(config, '[storage]\npath = "data/phishwatch.db"\n[backup]\nfolder = "made"\nkeep = 2\n');
    const run = (...args: string[]) => runInProcess([...args, "--config", config]);
    const made = await run("backup", "--json");
    expect(made.code).toBe(0);
    expect(JSON.parse(made.out)).toMatchObject({ files: 4, isOpened: true, kept: 1 });
    writeState("c");
    expect((await run("restore", "latest")).code).toBe(0);
    expect(readState()).toEqual(["ab", "b", "b"]);
    expect((await run("restore", "--list-aside")).out.trim().split("\n")).toHaveLength(3);
    expect((await run("restore", "--remove-aside")).out).toContain("deleted ");
    expect((await run("restore", "--list-aside")).out).toBe("");
    expect((await run("restore", "2020-01-01-000000")).err).toContain("there is no backup");
  });

  test("say which appliance made a backup, and that the former one of a restored database still makes some", async () => {
    const commandsOf = (data: string) => {
      const config = join(folder, `${data}.toml`);
      writeFileSync(config, `[storage]\npath = "${data}/phishwatch.db"\n[backup]\nfolder = "made"\n`);
      return (...args: string[]) => runInProcess([...args, "--config", config]);
    };
    const primary = commandsOf("data");
    const restored = commandsOf("second");
    const backUpWith = async (run: typeof primary) =>
      JSON.parse((await run("backup", "--json")).out) as MadeBackup;
    await backUpWith(primary);
    const { id: newest, lineage } = await backUpWith(primary);
    expect((await restored("restore")).err).toContain(
      `restoring ${newest}, the newest backup, made by ${hostname()}\n`,
    );
    const other = await backUpWith(restored);
    expect(other.lineage.id).not.toBe(lineage.id);
    expect((await backUpWith(primary)).foreign).toEqual({ id: other.id, host: hostname() });
    const listed = (await primary("backups", "list", "--json")).out.trim().split("\n");
    expect(listed.map((line) => (JSON.parse(line) as { lineage: string }).lineage)).toEqual([
      lineage.id,
      lineage.id,
      other.lineage.id,
      lineage.id,
    ]);
    expect((await primary("backups", "list")).out).toMatch(/HOST +LINEAGE/);
  });

  test.each(releasedVersions.map((released) => [released.version, released] as const))(
    "restore the file that `backup FILE` of version %s wrote",
    async (_, { database }) => {
      const file = join(folder, "old.db");
      writeFileSync(file, database);
      const config = join(folder, "phishwatch.toml");
      cpSync(join(folder, "data"), join(folder, "second"), { recursive: true });
      writeFileSync(config, '[storage]\npath = "second/phishwatch.db"\n');
      const { code, err } = await runInProcess(["restore", file, "--config", config]);
      expect({ code, err }).toMatchObject({ code: 0 });
      expect(err).toContain("the database as it was is kept as");
      openDatabase(join(folder, "second", "phishwatch.db")).close();
    },
  );
});
