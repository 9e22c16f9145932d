import { Database as Sqlite } from "bun:sqlite";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileList } from "../../../src/operations/backups/repository/file-list.ts";
import { chunkKey, headKeys } from "../../../src/operations/backups/repository/format.ts";
import { checkDatabase } from "../../../src/operations/backups/restoring/open-database.ts";
import { writeFileOf, type EarlierFile } from "../../../src/operations/backups/restoring/write-file.ts";
import type { Repository } from "../../../src/operations/backups/repository/repository.ts";
import { StoreError } from "../../../src/operations/backups/stores/store.ts";
import { openDatabase, type Database } from "../../../src/platform/database/database.ts";
import { takeServeLock } from "../../../src/platform/database/lock.ts";
import { backUp, openFolder } from "./support.ts";

let folder = "";
let path = "";
let database: Database;
let repository: Repository;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "phishwatch-backups-"));
  path = join(folder, "phishwatch.db");
  database = openDatabase(path);
  database.sqlite.run("CREATE TABLE letters (seq INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL)");
  repository = await openFolder(join(folder, "backups"));
});

afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

function write(rows: number, bytes = 2_000): void {
  database.sqlite.run(
    "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?) INSERT INTO letters (text) SELECT hex(randomblob(?)) FROM numbers",
    [rows, bytes / 2],
  );
}

const rowsOf = (file: string): unknown[] => {
  const sqlite = new Sqlite(file);
  try {
    return sqlite.query("SELECT seq, text FROM letters ORDER BY seq").all();
  } finally {
    sqlite.close();
  }
};

async function restoreDatabase(id: string, target: string, earlier?: EarlierFile) {
  const manifest = (await repository.find(id))!;
  for await (const entry of readFileList(repository.store, manifest)) {
    if (entry.path !== "database") continue;
    const { signal } = new AbortController();
    await writeFileOf({ store: repository.store, entry, target, earlier, signal });
    return { entry, manifest };
  }
  throw new Error("the backup has no database");
}

describe("a backup", () => {
  test("contains what is only in the write-ahead log, and nothing of a transaction that is not committed", async () => {
    write(500);
    database.sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
    write(500);
    const committed = rowsOf(path);
    // A cache of one page makes SQLite write to the log before the commit.
    database.sqlite.run("PRAGMA cache_size = 1");
    database.sqlite.run("BEGIN IMMEDIATE");
    write(800);
    const { id } = await backUp(repository, path);
    database.sqlite.run("ROLLBACK");
    const target = join(folder, "restored.db");
    const { manifest } = await restoreDatabase(id, target);
    checkDatabase(target, manifest, "the folder");
    expect(rowsOf(target)).toEqual(committed);
    expect(manifest.database.sequences["letters"]).toBe(1_000);
  });

  test("stores the few pages that have changed since the last one, and every later one can be restored", async () => {
    write(3_000);
    const first = await backUp(repository, path);
    const states = [];
    for (let round = 0; round < 6; round++) {
      database.sqlite.run("UPDATE letters SET text = 'x' || text WHERE seq % 300 = ?", [round * 17]);
      if (round === 4) write(900);
      const made = await backUp(repository, path);
      states.push({ id: made.id, rows: rowsOf(path), newBytes: made.newBytes });
    }
    expect(first.newBytes).toBeGreaterThan(6_000_000);
    expect(Math.max(...states.slice(0, 3).map(({ newBytes }) => newBytes))).toBeLessThan(500_000);
    let earlier: EarlierFile | undefined;
    for (const { id, rows } of states) {
      const target = join(folder, `${id}.db`);
      const { entry, manifest } = await restoreDatabase(id, target);
      checkDatabase(target, manifest, "the folder");
      expect(rowsOf(target)).toEqual(rows);
      // The same from the state before, of which only the changes are fetched.
      const followed = join(folder, `${id}-followed.db`);
      await restoreDatabase(id, followed, earlier);
      const { entry: again } = await restoreDatabase(id, `${target}.again`);
      expect(readFileSync(followed).equals(readFileSync(`${target}.again`))).toBe(true);
      expect(again).toEqual(entry);
      earlier = { entry, path: `${target}.again` };
    }
  });

  test("contains the archive, the screenshots and the configuration, and reads no unchanged file again", async () => {
    mkdirSync(join(folder, "screenshots"));
    mkdirSync(`${path}.archive`);
    const segment = "2026-01-01.feed.000000000000001-000000000000002.3.segment";
    writeFileSync(join(folder, "screenshots", "thr_1.webp"), "picture");
    writeFileSync(join(folder, "screenshots", "thr_2.webp.new"), "half a pict");
    writeFileSync(join(`${path}.archive`, segment), "names");
    const first = await backUp(repository, path);
    const names = [];
    for await (const entry of readFileList(repository.store, (await repository.find(first.id))!))
      names.push(entry.path);
    expect(names).toEqual([`archive/${segment}`, "configuration", "database", "screenshots/thr_1.webp"]);
    const second = await backUp(repository, path);
    expect(second.newBytes).toBe(0);
  });

  test("is not completed if the process is killed before its manifest, and the next one is complete", async () => {
    write(100);
    const { id } = await backUp(repository, path);
    write(3_000);
    const stopping = new AbortController();
    const { store } = repository;
    const killed: Repository = {
      ...repository,
      store: {
        ...store,
        put: async (key, bytes) => (stopping.abort(new Error("killed")), store.put(key, bytes)),
      },
    };
    await expect(backUp(killed, path, { signal: stopping.signal })).rejects.toThrow("killed");
    expect(await repository.ids()).toEqual([id]);
    const next = await backUp(repository, path, { opensDatabase: true });
    expect(next.isOpened).toBe(true);
    expect(await repository.ids()).toEqual([id, next.id]);
  });

  test("is refused while another process makes one, and not because of one that has ended", async () => {
    const { store } = repository;
    const other = { host: "elsewhere", pid: 7, token: "ff", refreshedAt: new Date().toISOString() };
    await store.put("locks/ff.json", Buffer.from(JSON.stringify(other)));
    await expect(backUp(repository, path)).rejects.toThrow("process 7 on elsewhere");
    await store.put(
      "locks/ff.json",
      Buffer.from(JSON.stringify({ ...other, refreshedAt: "2026-01-01T00:00:00Z" })),
    );
    const damaged = { ...other, token: "ee", refreshedAt: "no time" };
    await store.put("locks/ee.json", Buffer.from(JSON.stringify(damaged)));
    await backUp(repository, path);
    expect(await repository.ids()).toHaveLength(1);
    // One that cannot be decrypted would otherwise prevent all backups.
    await store.put("locks/ff.json", Buffer.from("half"));
    const encrypted: Repository = {
      ...repository,
      store: {
        ...store,
        async get(key) {
          if (key === "locks/ff.json") throw new StoreError("damaged", key);
          return store.get(key);
        },
      },
    };
    await backUp(encrypted, path);
    expect(readdirSync(join(folder, "backups", "locks"))).toEqual([]);
  });

  test("leaves nothing behind if the disk of the store becomes full, and the next one is complete", async () => {
    write(100);
    await backUp(repository, path);
    const stored = async () => Array.fromAsync(repository.store.list("chunks/"), ({ key }) => key);
    const before = await stored();
    write(3_000);
    let room = 4;
    const full: Repository = {
      ...repository,
      store: {
        ...repository.store,
        async put(key, bytes) {
          if (key.startsWith("chunks/") && room-- <= 0) throw new StoreError("no_space", "the disk is full");
          await repository.store.put(key, bytes);
        },
      },
    };
    await expect(backUp(full, path)).rejects.toThrow("the disk is full");
    expect(await stored()).toEqual(before);
    const { id } = await backUp(repository, path);
    await restoreDatabase(id, join(folder, "restored.db"));
    expect(rowsOf(join(folder, "restored.db"))).toEqual(rowsOf(path));
  });

  test("is not completed if another process took its lock while it was interrupted", async () => {
    write(10);
    const { store } = repository;
    const sleeping: Repository = {
      ...repository,
      store: {
        ...store,
        async put(key, bytes) {
          await store.put(key, bytes);
          if (key.startsWith("chunks/"))
            for await (const lock of store.list("locks/")) await store.delete(lock.key);
        },
      },
    };
    await expect(backUp(sleeping, path)).rejects.toThrow(
      "another backup was begun while this one was interrupted",
    );
    expect(await repository.ids()).toEqual([]);
  });

  /** Calls `act` with the temporary copy of the database, once most of it is written. */
  function whileCopied(act: (copy: string) => void): Repository {
    const { store } = repository;
    return {
      ...repository,
      store: {
        ...store,
        async get(key) {
          const copies = readdirSync(folder).filter((name) => /\.copy-[0-9a-f]{16}$/.test(name));
          for (const name of copies) act(join(folder, name));
          return store.get(key);
        },
      },
    };
  }

  test("is opened and kept if a server starts at the same time", async () => {
    write(3_000);
    let starts = 0;
    const starting = whileCopied(() => {
      takeServeLock(path).release();
      starts++;
    });
    const made = await backUp(starting, path, { opensDatabase: true });
    expect(starts).toBeGreaterThan(0);
    expect(made).toMatchObject({ isOpened: true, notChecked: null });
    expect(await repository.ids()).toEqual([made.id]);
  });

  test("is kept if its database cannot be opened on this machine, and the reason is reported", async () => {
    write(3_000);
    let removed = 0;
    const removing = whileCopied((copy) => {
      rmSync(copy);
      removed++;
    });
    const made = await backUp(removing, path, { opensDatabase: true });
    expect(removed).toBe(1);
    expect(made).toMatchObject({
      isOpened: false,
      notChecked: expect.stringContaining("could not be checked: unable to open database file"),
    });
    expect(await repository.ids()).toEqual([made.id]);
  });

  test("leaves no file behind but the backups and the index of its blocks", async () => {
    write(10);
    await backUp(repository, path, { opensDatabase: true });
    const names = readdirSync(folder).map((name) => name.replace(/backup-[0-9a-f]{8}$/, "backup-ID"));
    expect(names.sort()).toEqual([
      "backups",
      "phishwatch.db",
      "phishwatch.db-shm",
      "phishwatch.db-wal",
      "phishwatch.db.backup-ID",
      "phishwatch.db.copies.lock",
    ]);
    expect(readdirSync(join(folder, "backups", "locks"))).toEqual([]);
  });
});

describe("rotation", () => {
  test("keeps the newest backups, deletes what only the others had, and nothing that is still named", async () => {
    const ids = [];
    for (let round = 0; round < 4; round++) {
      write(600);
      ids.push((await backUp(repository, path, { keep: 2 })).id);
    }
    expect(await repository.ids()).toEqual(ids.slice(2));
    for (const id of ids.slice(2)) {
      const { manifest } = await restoreDatabase(id, join(folder, `${id}.db`));
      checkDatabase(join(folder, `${id}.db`), manifest, "the folder");
    }
    const used = new Set<string>();
    for (const id of ids.slice(2)) {
      const manifest = (await repository.find(id))!;
      manifest.list.forEach((name) => used.add(chunkKey(name)));
      for await (const { chunks, changes } of readFileList(repository.store, manifest))
        [...chunks, ...(changes ?? []).map(({ chunk }) => chunk)].forEach((name) => used.add(chunkKey(name)));
    }
    const stored = [];
    for await (const { key } of repository.store.list("chunks/")) stored.push(key);
    expect(stored).toEqual([...used].sort());
  });
});

test("rotation deletes nothing if the list of the store is not of now", async () => {
  write(10);
  const first = await backUp(repository, path);
  const outdated: Repository = { ...repository, ids: async () => [first.id] };
  write(10);
  await expect(backUp(outdated, path, { keep: 1 })).rejects.toThrow("no backups were deleted");
  const ids = await repository.ids();
  expect(ids).toHaveLength(2);
  for (const id of ids) await restoreDatabase(id, join(folder, `${id}.db`));
});

describe("a damaged repository", () => {
  test("without its head is not begun again, because encrypted backups could then never be opened", async () => {
    write(10);
    await backUp(repository, path);
    const heads = headKeys.map((key) => join(folder, "backups", key));
    const bytes = readFileSync(heads[0]!);
    for (const head of heads) rmSync(head);
    await expect(openFolder(join(folder, "backups"))).rejects.toThrow("phishwatch-backups.json is missing");
    for (const head of heads) {
      expect(existsSync(head)).toBe(false);
      writeFileSync(head, bytes);
      expect(await (await openFolder(join(folder, "backups"))).ids()).toHaveLength(1);
      rmSync(head);
    }
  });

  test("is repaired by the next backup that is opened, which names the object that was damaged", async () => {
    write(600);
    const { id } = await backUp(repository, path);
    const { entry } = await restoreDatabase(id, join(folder, "good.db"));
    const key = chunkKey(entry.chunks[0]!);
    // A decompressor that accepts truncated content must not hide it.
    truncateSync(join(folder, "backups", key), 1_000);
    const made = await backUp(repository, path, { opensDatabase: true });
    expect(made).toMatchObject({
      isOpened: true,
      kept: 2,
      repaired: expect.stringContaining(`${key} is damaged`),
    });
    expect((await backUp(repository, path, { opensDatabase: true })).repaired).toBeUndefined();
    await restoreDatabase(id, join(folder, "repaired.db"));
    expect(rowsOf(join(folder, "repaired.db"))).toEqual(rowsOf(path));
  });

  test("is reported with the object that is damaged, and a backup that the store damages at once is not kept", async () => {
    write(600);
    const { id } = await backUp(repository, path);
    const manifest = (await repository.find(id))!;
    const { entry } = await restoreDatabase(id, join(folder, "good.db"));
    const file = join(folder, "backups", chunkKey(entry.chunks[0]!));
    expect(existsSync(file)).toBe(true);
    const bytes = readFileSync(file);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(file, bytes);
    await expect(restoreDatabase(id, join(folder, "bad.db"))).rejects.toThrow(
      `${chunkKey(entry.chunks[0]!)} is damaged`,
    );
    const head = join(folder, "backups", "backups", `${id}.json`);
    const { store } = repository;
    const list = new Set(manifest.list);
    let isAdded = false;
    const damaging: Repository = {
      ...repository,
      async add(added) {
        await repository.add(added);
        isAdded = true;
      },
      store: {
        ...store,
        async get(key) {
          const found = await store.get(key);
          return isAdded && key.startsWith("chunks/") && !list.has(key.slice(-64))
            ? found?.subarray(0, 40)
            : found;
        },
      },
    };
    await expect(backUp(damaging, path, { opensDatabase: true })).rejects.toThrow("is damaged");
    expect(await repository.ids()).toEqual([manifest.id]);
    writeFileSync(head, readFileSync(head, "utf8").replace(`"files":${manifest.files}`, `"files":7`));
    await expect(repository.find(id)).rejects.toThrow(`the backup ${id} is damaged`);
    expect(statSync(head).size).toBeGreaterThan(0);
  });
});
