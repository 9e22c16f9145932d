import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { BackupOptions } from "../../../src/operations/backups/making/make-backup.ts";
import { foreignBackup } from "../../../src/operations/backups/repository/lineage.ts";
import type { Repository } from "../../../src/operations/backups/repository/repository.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { dayMs, systemClock } from "../../../src/platform/lib/clock.ts";
import { backUp, openFolder } from "./support.ts";

let folder = "";
let repository: Repository;
let made = 0;
/** Time of the next backup. */
let nextMs = 0;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "phishwatch-lineage-"));
  openDatabase(join(folder, "phishwatch.db")).close();
  repository = await openFolder(join(folder, "backups"));
  nextMs = Date.UTC(2026, 0, 31);
});

afterEach(() => rmSync(folder, { recursive: true }));

type Outcomes = BackupOptions["outcomes"];

/** An appliance on a machine, which remembers its backups as the database does. */
function appliance(host: string, before: Outcomes = { lineage: null, completed: null }) {
  const one = {
    host,
    outcomes: before,
    async backUp(keep = 14) {
      const now = (nextMs += 60_000);
      const result = await backUp(repository, join(folder, "phishwatch.db"), {
        keep,
        outcomes: one.outcomes,
        owner: { host, pid: process.pid, token: `${++made}`.padStart(32, "1") },
        clock: { ...systemClock, now: () => now },
      });
      one.outcomes = { lineage: result.lineage, completed: { id: result.id } };
      return result;
    },
  };
  return one;
}

describe("two appliances that write to the same backups", () => {
  test("both notice it with their next backup, and no longer once one of them is stopped", async () => {
    const primary = appliance("primary");
    expect((await primary.backUp()).foreign).toBeNull();
    const promoted = appliance("standby");
    const first = await promoted.backUp();
    expect(first.foreign).toBeNull();
    const second = await primary.backUp();
    expect(second.foreign).toEqual({ id: first.id, host: "standby" });
    expect((await promoted.backUp()).foreign).toEqual({ id: second.id, host: "primary" });
    expect((await promoted.backUp()).foreign).toBeNull();
  });

  test("are noticed also if the database was copied without a restore, and a new name of the machine is none", async () => {
    const original = appliance("one");
    await original.backUp();
    const copied = appliance("two", original.outcomes);
    const ofCopy = await copied.backUp();
    expect(ofCopy.foreign).toBeNull();
    expect((await original.backUp()).foreign).toEqual({ id: ofCopy.id, host: "two" });
    const renamed = appliance("three", original.outcomes);
    expect((await renamed.backUp()).foreign).toBeNull();
  });

  test("do not delete each other's backups, until those are 30 days old and nobody has made one since", async () => {
    const [one, two] = [appliance("one"), appliance("two")];
    const ids = { one: [] as string[], two: [] as string[] };
    await one.backUp(2);
    for (let round = 0; round < 3; round++) {
      ids.two.push((await two.backUp(2)).id);
      ids.one.push((await one.backUp(2)).id);
    }
    const remaining = [...ids.one.slice(-2), ...ids.two.slice(-2)].sort();
    expect(await repository.ids()).toEqual(remaining);
    nextMs += 31 * dayMs;
    const later = [await one.backUp(2), await one.backUp(2)];
    expect(await repository.ids()).toEqual(later.map(({ id }) => id));
  });
});

test("a restore, also on new hardware, is no second appliance, and continues the rotation of the former one", async () => {
  const former = appliance("old-machine");
  for (let round = 0; round < 3; round++) await former.backUp(3);
  const restored = appliance("new-machine");
  for (let round = 0; round < 3; round++)
    expect(await restored.backUp(3)).toMatchObject({ foreign: null, kept: 3 });
  const hosts = await Promise.all(
    (await repository.ids()).map(async (id) => (await repository.find(id))?.host),
  );
  expect(hosts).toEqual(["new-machine", "new-machine", "new-machine"]);
});

test("a backup of an earlier version, which does not say who made it, is not known to be of another appliance", async () => {
  const { lineage: _, ...earlier } = (await repository.find((await appliance("one").backUp()).id))!;
  const own = { lineage: { id: "00000000", since: "2025-01-01-000000" }, last: null, host: "two" };
  expect(foreignBackup(earlier, own)).toBeNull();
  expect(foreignBackup({ ...earlier, lineage: "11111111" }, own)).toEqual({ id: earlier.id, host: "one" });
});
