import { Database as Sqlite } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Database, DatabaseObserver } from "../../../src/platform/database/database.ts";
import { createLog } from "../../../src/platform/lib/log.ts";
import { startWatchdog } from "../../../src/platform/service/watchdog.ts";
import { manualClock, temporaryFolder } from "../../support/appliance.ts";
import { openNewDatabase } from "../../support/new-database.ts";
import { until } from "../../support/until.ts";

const timeoutMs = 60_000;

describe("the watchdog", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => void (folder = temporaryFolder()));
  afterEach(() => folder.dispose());

  function start(database: Pick<Database, "observe" | "write">) {
    const clock = manualClock();
    const lines: string[] = [];
    const log = createLog({ level: "warn", format: "json", clock, write: (line) => void lines.push(line) });
    let signs = 0;
    const notifier = { watchdog: { timeoutMs, alive: () => void signs++ } };
    const watchdog = startWatchdog({ notifier, database, clock, log });
    return { clock, lines, watchdog, signs: () => signs };
  }

  /** Counts the settled writes, so that a test can wait for those of the watchdog. */
  function counted(database: Database) {
    let settled = 0;
    const write: Database["write"] = (work, options) =>
      database.write(work, options).finally(() => void settled++);
    return { observe: database.observe, write, settled: () => settled };
  }

  test("sends a sign of life four times in each timeout while the database works, and none after its stop", async () => {
    const database = openNewDatabase(join(folder.path, "phishwatch.db"));
    const probed = counted(database);
    const { clock, lines, signs, watchdog } = start(probed);
    for (let turn = 1; turn <= 8; turn++) {
      await until(() => probed.settled() === turn, "the write is committed");
      clock.advance(timeoutMs / 4);
    }
    expect(signs()).toBe(9);
    watchdog.stop();
    clock.advance(timeoutMs);
    expect([signs(), lines]).toEqual([9, []]);
    await until(() => probed.settled() === 9, "the last write is committed");
    database.close();
  });

  test("goes on while another process holds the write lock, because a restart would not release it", async () => {
    const path = join(folder.path, "phishwatch.db");
    const database = openNewDatabase(path);
    const silent = createLog({ level: "silent", format: "json", clock: manualClock(), write: () => {} });
    database.serve(silent);
    const holder = new Sqlite(path);
    holder.run("BEGIN IMMEDIATE");
    const probed = counted(database);
    const { clock, lines, signs } = start(probed);
    await until(() => probed.settled() === 1, "the write was rejected");
    clock.advance(timeoutMs / 4);
    expect([signs(), lines]).toEqual([2, []]);
    holder.run("ROLLBACK");
    holder.close();
    await until(() => probed.settled() === 2, "the next write is committed");
    database.close();
  });

  /** Writes that never end: no other fault of the write queue than a bug causes this. */
  function stuckDatabase() {
    let observer: DatabaseObserver | undefined;
    return {
      observe: (given: DatabaseObserver) => void (observer = given),
      write: () => new Promise<never>(() => {}),
      commit: () => observer!.changed(),
    };
  }

  test("stops its signs of life while no write ends, and logs it once", () => {
    const { clock, lines, signs } = start(stuckDatabase());
    clock.advance(4 * timeoutMs);
    expect(signs()).toBe(1);
    expect(lines).toEqual([expect.stringContaining("database writes make no progress")]);
  });

  test("goes on while a long queue of writes makes progress, although its own write has not ended", () => {
    const database = stuckDatabase();
    const { clock, lines, signs } = start(database);
    for (let turn = 0; turn < 8; turn++) {
      database.commit();
      clock.advance(timeoutMs / 4);
    }
    expect([signs(), lines]).toEqual([9, []]);
  });
});
