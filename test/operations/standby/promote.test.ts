import { Database as Sqlite } from "bun:sqlite";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "bun:test";
import { StoreError } from "../../../src/operations/backups/stores/store.ts";
import { fetchNewest } from "../../../src/operations/standby/follow.ts";
import { mayStillRun, promote } from "../../../src/operations/standby/promote.ts";
import { memoryStore } from "../../support/memory-store.ts";
import { standbyWorld } from "../../support/standby-world.ts";

const cleanup: (() => void)[] = [];
afterEach(() => {
  for (const step of cleanup.splice(0).reverse()) step();
});

/** Far later than every backup of the tests. */
const later = Date.UTC(2026, 1, 15);
const everyHour = "0 * * * *";

function world() {
  const store = memoryStore();
  const made = standbyWorld(store);
  cleanup.push(made.dispose);
  const databasePath = join(made.standbyRoot, "phishwatch.db");
  const options = { standby: made.standby, openRepository: made.open, signal: new AbortController().signal };
  return {
    ...made,
    store,
    databasePath,
    fetch: () => fetchNewest(options),
    promote: (changes: Partial<Parameters<typeof promote>[0]> = {}) =>
      promote({
        ...options,
        databasePath,
        schedule: everyHour,
        force: false,
        by: { channel: "command_line", name: "operator", address: null },
        clock: { now: () => later },
        ...changes,
      }),
    values() {
      const sqlite = new Sqlite(databasePath, { readonly: true });
      try {
        return sqlite
          .query<{ value: string }, []>("SELECT value FROM settings WHERE name LIKE 'test-%' ORDER BY name")
          .all()
          .map(({ value }) => value);
      } finally {
        sqlite.close();
      }
    },
  };
}

describe("a promotion", () => {
  test("starts with the newest backup, also if the standby had not fetched it, and keeps the times of files", async () => {
    const { change, file, backUp, fetch, promote: run, values, standbyRoot, standby } = world();
    change("one");
    file("screenshots/a.webp", "a");
    await backUp();
    await fetch();
    const { mtimeMs } = statSync(join(standby, readdirSync(standby)[0]!, "screenshots/a.webp"));
    change("two");
    file("screenshots/b.webp", "b");
    const { id } = await backUp();
    const { manifest, keptAs, notFetched } = await run();
    expect({ id: manifest.id, keptAs, notFetched }).toEqual({ id, keptAs: [], notFetched: undefined });
    expect(values()).toEqual(["one", "two"]);
    expect(readdirSync(join(standbyRoot, "screenshots")).sort()).toEqual(["a.webp", "b.webp"]);
    expect(statSync(join(standbyRoot, "screenshots/a.webp")).mtimeMs).toBeCloseTo(mtimeMs, 0);
    expect(statSync(join(standbyRoot, "phishwatch.db"))).toMatchObject({ nlink: 1 });
    expect(existsSync(standby)).toBe(false);
  });

  test("keeps the files that this machine had", async () => {
    const { change, backUp, promote: run, values, standbyRoot, databasePath, file } = world();
    change("one");
    file("screenshots/a.webp", "a");
    await backUp();
    mkdirSync(join(standbyRoot, "screenshots"));
    writeFileSync(join(standbyRoot, "screenshots/old.webp"), "old");
    writeFileSync(databasePath, "not a database");
    const { keptAs } = await run();
    expect(values()).toEqual(["one"]);
    expect(readdirSync(join(standbyRoot, "screenshots"))).toEqual(["a.webp"]);
    expect(keptAs.map((name) => statSync(name).isDirectory())).toEqual([false, true]);
    expect(readFileSync(keptAs[0]!, "utf8")).toBe("not a database");
    expect(readdirSync(keptAs[1]!)).toEqual(["old.webp"]);
  });

  test("is refused while the primary may still run, and then changes nothing; --force overrides", async () => {
    const { backUp, promote: run, databasePath, store, standbyRoot } = world();
    const { id } = await backUp();
    const backedUpAt = Date.UTC(2026, 0, 31, 0, 1);
    const clock = { now: () => backedUpAt + 60_000 };
    await expect(run({ clock })).rejects.toThrow("the primary may still run");
    await expect(run({ schedule: null })).rejects.toThrow("backup.schedule is not set");
    const held = { host: "primary", pid: 7, token: "aa", refreshedAt: new Date(later).toISOString() };
    await store.put("locks/aa.json", Buffer.from(JSON.stringify(held)));
    await expect(run()).rejects.toThrow("it is making a backup now");
    expect(existsSync(databasePath)).toBe(false);
    expect(readdirSync(standbyRoot)).toEqual(["standby"]);
    expect((await run({ clock, force: true })).manifest.id).toBe(id);
    expect(existsSync(databasePath)).toBe(true);
  });

  test("without a connection to the backups needs --force, and uses the last good state", async () => {
    const { change, backUp, fetch, promote: run, values } = world();
    change("one");
    await backUp();
    const openRepository = async () => {
      throw new StoreError("unreachable", "no connection");
    };
    await expect(run({ openRepository, force: true })).rejects.toThrow("no complete backup");
    await fetch();
    await expect(run({ openRepository })).rejects.toThrow("cannot be fetched: no connection");
    const { notFetched } = await run({ openRepository, force: true });
    expect(notFetched).toBe("no connection");
    expect(values()).toEqual(["one"]);
  });

  test("does not let a later standby reuse files that the appliance changed", async () => {
    const { file, backUp, fetch, standby } = world();
    file("screenshots/a.webp", "as it was");
    await backUp();
    const { state } = (await fetch())!;
    appendFileSync(join(state.folder, "screenshots/a.webp"), " and more");
    await backUp();
    const next = (await fetch())!.state;
    expect(readFileSync(join(next.folder, "screenshots/a.webp"), "utf8")).toBe("as it was");
    expect(readdirSync(standby)).toHaveLength(1);
  });
});

test("a primary counts as stopped once its next backup is overdue, by two minutes and three times the last duration", () => {
  const at = (text: string) => Date.parse(`2026-01-31T${text}Z`);
  const manifest = { beganAt: "2026-01-31T10:00:00Z", completedAt: "2026-01-31T10:01:00Z" };
  const options = { manifest, schedule: everyHour, makingBackup: false };
  expect(mayStillRun({ ...options, now: at("11:05:00") })).toBe(
    "its last backup is of 2026-01-31 10:00 UTC, and the next one is not overdue before 2026-01-31 11:05 UTC",
  );
  expect(mayStillRun({ ...options, now: at("11:05:01") })).toBeUndefined();
  expect(mayStillRun({ ...options, schedule: "*/5 * * * *", now: at("10:10:01") })).toBeUndefined();
  expect(mayStillRun({ ...options, schedule: "*/5 * * * *", now: at("10:09:59") })).toBeString();
  expect(mayStillRun({ ...options, makingBackup: true, now: at("20:00:00") })).toBeString();
});
