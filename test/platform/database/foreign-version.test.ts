import { Database as Sqlite } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { openWalIndexHeader } from "../../../src/platform/database/files/foreign-version.ts";
import { temporaryFolder } from "../../support/appliance.ts";
import { randomFrom, seed } from "../../support/random.ts";

const insert = "INSERT INTO settings (name, value, updated_at) VALUES (random(), 'x', 1)";

test(`the version in memory is the one that SQLite reports, whatever commits in between (TEST_SEED=${seed})`, () => {
  const folder = temporaryFolder();
  const path = join(folder.path, "phishwatch.db");
  const database = openDatabase(path);
  const other = new Sqlite(path);
  for (const sqlite of [database.sqlite, other]) sqlite.run("PRAGMA synchronous = OFF");
  const random = randomFrom(seed);
  const reported = () =>
    database.sqlite.query<{ data_version: number }, []>("PRAGMA data_version").get()!.data_version;
  const expectSame = () => expect(database.foreignVersion()).toBe(reported());
  const count = () => database.sqlite.query("SELECT count(*) FROM settings").get();
  const steps = [
    () => database.sqlite.run(insert),
    () => other.run(insert),
    () => other.run("PRAGMA wal_checkpoint(TRUNCATE)"),
    () => database.sqlite.run("PRAGMA wal_checkpoint(RESTART)"),
    () => database.snapshot(expectSame),
    () => database.snapshot(() => void (count(), other.run(insert), expectSame())),
    () => database.snapshot(() => void (other.run(insert), expectSame())),
    () => database.transaction(() => void (database.sqlite.run(insert), expectSame())),
  ];
  const versions = new Set<number>();
  for (let step = 0; step < 400; step += 1) {
    steps[random(steps.length)]!();
    versions.add(database.foreignVersion());
    expectSame();
  }
  expect(versions.size).toBeGreaterThan(50);
  other.close();
  database.close();
  folder.dispose();
});

test("the header of another file than the one that the connection has open is not used", () => {
  const folder = temporaryFolder();
  const database = openDatabase(join(folder.path, "phishwatch.db"));
  const { path, inode } = database.file!.index!;
  expect(() => openWalIndexHeader({ path, inode: inode + 1 })).toThrow("was replaced");
  database.close();
  folder.dispose();
});
