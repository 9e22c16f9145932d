import { Database as Sqlite } from "bun:sqlite";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "bun:test";
import { StoreError } from "../../../src/operations/backups/stores/store.ts";
import { fetchNewest, follow } from "../../../src/operations/standby/follow.ts";
import { newestState } from "../../../src/operations/standby/standby-folder.ts";
import {
  openStandbyStatus,
  readStatus,
  reportOf,
  writeStatus,
} from "../../../src/operations/standby/status.ts";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { manualClock } from "../../support/appliance.ts";
import { memoryStore } from "../../support/memory-store.ts";
import { standbyWorld } from "../../support/standby-world.ts";
import { until } from "../../support/until.ts";

const cleanup: (() => void)[] = [];
afterEach(() => {
  for (const step of cleanup.splice(0).reverse()) step();
});

function world() {
  const store = memoryStore();
  const made = standbyWorld(store);
  cleanup.push(made.dispose);
  const signal = new AbortController().signal;
  return {
    ...made,
    store,
    fetch: () => fetchNewest({ standby: made.standby, openRepository: made.open, signal }),
    values: (folder: string) => {
      const sqlite = new Sqlite(join(folder, "database"), { readonly: true });
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

async function failureOf(run: Promise<unknown>): Promise<{ code?: string; message: string }> {
  return run.then(
    () => ({ message: "no error" }),
    (error: { code?: string; message: string }) => error,
  );
}

describe("a standby", () => {
  test("has what the primary had at its newest backup, and fetches only what has changed since the one before", async () => {
    const { fetch, change, file, backUp, values, standby } = world();
    change("one");
    file("screenshots/a.webp", crypto.getRandomValues(new Uint8Array(50_000)));
    file("screenshots/b.webp", "b");
    await backUp();
    const first = (await fetch())!;
    expect(values(first.state.folder)).toEqual(["one"]);
    expect(readFileSync(join(first.state.folder, "screenshots/b.webp"), "utf8")).toBe("b");
    expect(await fetch()).toBeUndefined();

    const inode = statSync(join(first.state.folder, "screenshots/a.webp")).ino;
    change("two");
    file("screenshots/b.webp", "changed");
    file("screenshots/c.webp", "c");
    await backUp();
    const second = (await fetch())!;
    expect(values(second.state.folder)).toEqual(["one", "two"]);
    const screenshots = join(second.state.folder, "screenshots");
    expect(readdirSync(screenshots).sort()).toEqual(["a.webp", "b.webp", "c.webp"]);
    expect(readFileSync(join(screenshots, "b.webp"), "utf8")).toBe("changed");
    expect(statSync(join(screenshots, "a.webp")).ino).toBe(inode);
    expect(second.fetchedBytes).toBeLessThan(20_000);
    expect(first.fetchedBytes).toBeGreaterThan(60_000);
    expect(readdirSync(standby)).toEqual([`state-${second.state.manifest.id}`]);
    expect(statSync(second.state.folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(second.state.folder, "database")).mode & 0o777).toBe(0o600);
  });

  test("keeps the last good state if the next backup is damaged, names the damage, and continues with the one after", async () => {
    const { fetch, change, backUp, values, store, standby } = world();
    change("one");
    await backUp();
    await fetch();
    const known = new Set(store.objects.keys());
    change("two");
    await backUp();
    const key = [...store.objects.keys()].find((name) => name.startsWith("chunks/") && !known.has(name))!;
    const bytes = store.objects.get(key)!;
    for (const damage of [new Uint8Array(bytes.length), undefined]) {
      if (damage === undefined) store.objects.delete(key);
      else store.objects.set(key, damage);
      const failure = await failureOf(fetch());
      expect(failure).toMatchObject({ code: "damaged" });
      expect(failure.message).toContain(key);
      expect(values((await newestState(standby))!.folder)).toEqual(["one"]);
    }
    store.objects.set(key, bytes);
    await fetch();
    expect(values((await newestState(standby))!.folder)).toEqual(["one", "two"]);
  });

  test("fetches everything again if files of its state were deleted or damaged", async () => {
    const { fetch, change, file, backUp, values } = world();
    change("one");
    file("screenshots/a.webp", "a");
    await backUp();
    const first = (await fetch())!;
    rmSync(join(first.state.folder, "screenshots/a.webp"));
    change("two");
    await backUp();
    const second = (await fetch())!;
    expect(readFileSync(join(second.state.folder, "screenshots/a.webp"), "utf8")).toBe("a");
    writeFileSync(join(second.state.folder, "database"), "damaged");
    change("three");
    await backUp();
    const third = (await fetch())!;
    expect(values(third.state.folder)).toEqual(["one", "three", "two"]);
    rmSync(join(third.state.folder, "database"));
    await backUp();
    expect(values((await fetch())!.state.folder)).toEqual(["one", "three", "two"]);
  });

  test("follows the tenth backup of a primary whose clock stands still", async () => {
    const { fetch, open, backUp, standby } = world();
    const { id } = await backUp();
    const repository = await open();
    await repository.add({ ...(await repository.find(id))!, id: `${id}-9` });
    await fetch();
    const next = await backUp(0);
    expect(next.id).toBe(`${id}-10`);
    expect((await fetch())?.state.manifest.id).toBe(next.id);
    mkdirSync(join(standby, `state-${id}-9`));
    expect((await newestState(standby))?.manifest.id).toBe(next.id);
  });

  test("ignores a state that a killed process left half-built, whatever it contains", async () => {
    const { fetch, change, backUp, values, standby } = world();
    change("one");
    await backUp();
    await fetch();
    mkdirSync(join(standby, "building/archive"), { recursive: true });
    writeFileSync(join(standby, "building/database"), "half");
    mkdirSync(join(standby, "state-2099-01-01-000000"));
    expect(values((await newestState(standby))!.folder)).toEqual(["one"]);
    change("two");
    await backUp();
    const { state } = (await fetch())!;
    expect(values(state.folder)).toEqual(["one", "two"]);
    expect(readdirSync(standby)).toEqual([`state-${state.manifest.id}`]);
  });

  test("rejects the backups of another appliance, and a store whose newest backups were deleted", async () => {
    const first = world();
    await first.backUp();
    await first.backUp();
    await first.fetch();
    const other = world();
    await other.backUp();
    const signal = new AbortController().signal;
    const mixed = fetchNewest({ standby: first.standby, openRepository: other.open, signal });
    expect(await failureOf(mixed)).toMatchObject({ code: "unexpected" });
    const newest = (await newestState(first.standby))!.manifest.id;
    first.store.objects.delete(`backups/${newest}.json`);
    const failure = await failureOf(first.fetch());
    expect(failure.message).toContain(`older than ${newest}`);
    expect((await newestState(first.standby))!.manifest.id).toBe(newest);
  });

  test("polls, logs a lasting failure once, recovers, and states in its status what it has", async () => {
    const { standby, open, backUp, change } = world();
    const clock = manualClock(Date.UTC(2026, 0, 31, 0, 10));
    const events: [string, object?][] = [];
    const abort = new AbortController();
    let isReachable = false;
    let checks = 0;
    const log = {
      event: (name: string, fields?: object) => void events.push([name, fields]),
      isEnabled: () => true,
      level: "info",
    } as never;
    const running = follow({
      standby,
      openRepository: async () => {
        checks++;
        if (!isReachable) throw new StoreError("unreachable", "no connection");
        return open();
      },
      clock,
      log,
      pollMs: 60_000,
      signal: abort.signal,
    });
    const report = async () => reportOf(await newestState(standby), await readStatus(standby), clock.now());
    /** Lets the next check begin and end. */
    const poll = async () => {
      const before = await readStatus(standby);
      await until(() => {
        clock.advance(60_000);
        return checks > 0;
      }, "a check");
      await until(async () => (await readStatus(standby))?.checkedAt !== before?.checkedAt, "a status");
    };
    await until(async () => (await readStatus(standby)) !== undefined, "the first status");
    expect(await report()).toMatchObject({ condition: "failing", backup: null, error: "no connection" });
    await poll();
    expect(events.map(([name]) => name)).toEqual(["standby.backup_not_fetched"]);
    isReachable = true;
    await poll();
    expect(await report()).toMatchObject({ condition: "empty", backup: null, error: null });
    change("one");
    const { id } = await backUp();
    await poll();
    await until(async () => (await report()).backup === id, "the backup");
    const { condition, lagSeconds, changesUntil } = await report();
    expect({ condition, changesUntil }).toEqual({
      condition: "following",
      changesUntil: "2026-01-31T00:01:00.000Z",
    });
    expect(lagSeconds).toBeGreaterThan(600);
    expect(events.map(([name]) => name)).toEqual([
      "standby.backup_not_fetched",
      "standby.recovered",
      "standby.backup_fetched",
    ]);
    abort.abort();
    await running;
    clock.advance(3_600_000);
    expect(await report()).toMatchObject({ condition: "stopped", backup: id });
    expect(existsSync(join(standby, "building"))).toBe(false);
  });

  test("serves its condition and its metrics over HTTP, and nothing else", async () => {
    const { standby, fetch: fetchBackup, backUp } = world();
    const server = openStandbyStatus({ standby, listen: { host: "127.0.0.1", port: 0 }, clock: systemClock });
    try {
      const status = async (path: string) => (await fetch(`${server.url}${path}`)).status;
      expect(await status("readyz")).toBe(503);
      const { id } = await backUp();
      await fetchBackup();
      await writeStatus(standby, { checkedAt: new Date().toISOString(), pollMs: 60_000, error: null });
      const ready = await fetch(`${server.url}readyz`);
      expect([ready.status, await ready.json()]).toMatchObject([200, { condition: "following", backup: id }]);
      const metrics = await (await fetch(`${server.url}metrics`)).text();
      expect(metrics).toContain("\nphishwatch_standby_following 1\n");
      const changesUntil = Date.UTC(2026, 0, 31, 0, 1) / 1_000;
      expect(metrics).toContain(`\nphishwatch_standby_changes_until_timestamp_seconds ${changesUntil}\n`);
      expect([await status("console"), await status("status.json")]).toEqual([404, 404]);
    } finally {
      await server.stop();
    }
  });
});
