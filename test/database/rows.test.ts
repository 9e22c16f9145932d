import { Database as Sqlite } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { blob, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json } from "../../src/database/columns.ts";
import { prepareRows } from "../../src/database/rows.ts";

const things = sqliteTable("things", {
  seq: integer("seq").primaryKey(),
  name: text("name"),
  enabled: integer("enabled", { mode: "boolean" }),
  at: instant("at"),
  tags: json<string[] | null>("tags"),
  bytes: blob("bytes", { mode: "buffer" }),
});
const others = sqliteTable("others", { seq: integer("seq").primaryKey(), name: text("name") });

const sqlite = new Sqlite(":memory:", { strict: true });
const query = drizzle({ client: sqlite });

beforeAll(() => {
  sqlite.run("CREATE TABLE things (seq INTEGER PRIMARY KEY, name, enabled, at, tags, bytes)");
  sqlite.run("CREATE TABLE others (seq INTEGER PRIMARY KEY, name)");
  query
    .insert(things)
    .values([
      {
        seq: 1,
        name: "full",
        enabled: true,
        at: 1_700_000_000_000,
        tags: ["a", "b"],
        bytes: Buffer.from("x"),
      },
      { seq: 2, name: "", enabled: false, at: 0, tags: [], bytes: Buffer.alloc(0) },
      { seq: 3 },
    ])
    .run();
  query.insert(others).values({ seq: 1, name: "other" }).run();
});
afterAll(() => sqlite.close());

describe("rows are the same as drizzle's own", () => {
  test("for every kind of column, with and without a value", () => {
    const columns = {
      tags: things.tags,
      seq: things.seq,
      label: things.name,
      enabled: things.enabled,
      at: things.at,
      bytes: things.bytes,
      upper: sql<string | null>`upper(${things.name})`,
      aliased: sql<number>`${things.seq} * 2`.as("doubled"),
    };
    const select = query.select(columns).from(things).orderBy(things.seq);
    const rows = prepareRows(columns, select).all();
    expect(rows).toEqual(select.all());
    expect(rows.map((row) => Object.keys(row))).toEqual(select.all().map((row) => Object.keys(row)));
    expect(rows[0]).toMatchObject({ tags: ["a", "b"], enabled: true, upper: "FULL", aliased: 2 });
    expect(rows[2]).toMatchObject({ tags: null, enabled: null, bytes: null });
  });

  test("for joined tables with columns of the same name", () => {
    const columns = { first: things.name, second: others.name };
    const select = query.select(columns).from(things).innerJoin(others, eq(things.seq, others.seq));
    expect(prepareRows(columns, select).all()).toEqual([{ first: "full", second: "other" }]);
  });

  test("for values given at each call", () => {
    const columns = { name: things.name };
    const rows = prepareRows(
      columns,
      query
        .select(columns)
        .from(things)
        .where(eq(things.seq, sql.placeholder("seq"))),
    );
    expect(rows.get({ seq: 2 })).toEqual({ name: "" });
    expect(rows.get({ seq: 1 })).toEqual({ name: "full" });
    expect(rows.get({ seq: 9 })).toBeUndefined();
    expect(rows.all({ seq: 9 })).toEqual([]);
  });
});
