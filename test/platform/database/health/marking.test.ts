import { afterEach, beforeEach, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, type Database } from "../../../../src/platform/database/database.ts";
import { readState, requireOwnLog } from "../../../../src/platform/database/files/state-file.ts";
import { createDatabaseHealth } from "../../../../src/platform/database/health/health.ts";
import { createLog } from "../../../../src/platform/lib/log.ts";
import { fillRandom, manualClock, temporaryFolder } from "../../../support/appliance.ts";
import { commandFolder, defaultConfig, quickest } from "../../../support/command-line.ts";
import { until } from "../../../support/until.ts";

const log = createLog({ level: "silent", format: "json", clock: manualClock(), write: () => {} });
const marks = "PRAGMA user_version =";

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
let database: Database;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder.path, "phishwatch.db");
  database = openDatabase(path);
});
afterEach(() => {
  database.close();
  folder.dispose();
});

/** Runs the health of a server until its file is marked. */
async function serveOnce(): Promise<void> {
  const clock = manualClock();
  const health = createDatabaseHealth({ database, clock, log, fillRandom });
  health.start();
  clock.advance(1);
  clock.advance(2_000);
  await health.stop();
}

test("While the file is being marked, its state accepts the old and the new marker, so that a crash is harmless", async () => {
  await serveOnce();
  expect(readState(path)!.marker).toBeNumber();
  const run = database.sqlite.run.bind(database.sqlite);
  const markers: unknown[] = [];
  database.sqlite.run = (sql: string, ...rest: never[]) => {
    if (sql.startsWith(marks)) markers.push(readState(path)!.marker);
    return run(sql, ...rest);
  };
  await serveOnce();
  expect(markers).toEqual([null]);
  expect(readState(path)!.marker).toBeNumber();
});

test("A server that is killed again and again as soon as it is ready starts again each time", async () => {
  const server = commandFolder(defaultConfig);
  try {
    for (let round = 0; round < 8; round++) {
      const { stop } = await server.serve({ command: quickest });
      const state = join(server.path, "data/test.db");
      // Every second time as soon as the state is written, otherwise at once.
      if (round % 2 === 1) await until(() => readState(state) !== undefined, "the state is written");
      await stop("SIGKILL");
      expect(() => requireOwnLog(state)).not.toThrow();
    }
  } finally {
    server.dispose();
  }
});

test("A file without a state may have any log", () => {
  rmSync(`${path}.health`, { force: true });
  expect(() => requireOwnLog(path)).not.toThrow();
});
