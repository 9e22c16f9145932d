import { expect, test } from "bun:test";
import { join } from "node:path";
import { createClockFollower } from "../../../src/platform/database/clock-follower.ts";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { createLog } from "../../../src/platform/lib/log.ts";
import { manualClock, temporaryFolder } from "../../support/appliance.ts";
import { until } from "../../support/until.ts";

const hourMs = 3_600_000;
const count = 1_200;

test("Due times follow the clock exactly once, even if the database cannot be written in between", async () => {
  await using cleanup = new AsyncDisposableStack();
  const folder = temporaryFolder();
  cleanup.defer(folder.dispose);
  const database = openDatabase(join(folder.path, "phishwatch.db"));
  cleanup.defer(database.close);
  const clock = manualClock();
  const lines: string[] = [];
  const log = createLog({ level: "info", format: "json", clock, write: (line) => void lines.push(line) });
  const { sqlite } = database;
  const dueAt = clock.now() + hourMs;
  sqlite.run("create table jobs (seq integer primary key, due_at integer)");
  sqlite.run(
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})
     insert into jobs select n, ${dueAt} from numbers`,
  );
  const moved = () =>
    sqlite
      .query<{ at: number; n: number }, []>(
        "select due_at as at, count(*) as n from jobs group by due_at order by at",
      )
      .all();
  const table = { name: "jobs", key: "seq", columns: ["due_at"] };
  const follow = createClockFollower({ clock, database, log, table });

  sqlite.run(
    "create trigger refused before update on jobs when new.seq > 500 begin select raise(abort, 'no'); end",
  );
  clock.setBy(-2 * hourMs);
  follow();
  await until(() => lines.length > 0, "the error is logged");
  expect(moved()).toEqual([
    { at: dueAt - 2 * hourMs, n: 500 },
    { at: dueAt, n: 700 },
  ]);

  sqlite.run("drop trigger refused");
  follow();
  await until(() => moved().length === 1, "all have followed");
  expect(moved()).toEqual([{ at: dueAt - 2 * hourMs, n: count }]);
});
