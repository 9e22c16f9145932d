import { Database as Sqlite } from "bun:sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { asc, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { blob, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, json } from "../../../src/platform/database/columns.ts";
import {
  countValue,
  opaqueValue,
  statement,
  value,
  valuesExcept,
  valuesOf,
} from "../../../src/platform/database/statement.ts";

const things = sqliteTable("things", {
  seq: integer("seq").primaryKey(),
  name: text("name"),
  enabled: integer("enabled", { mode: "boolean" }),
  at: instant("at_time"),
  tags: json<string[] | null>("tags"),
  bytes: blob("bytes", { mode: "buffer" }),
});
const others = sqliteTable("others", { seq: integer("seq").primaryKey(), name: text("name") });

const sqlite = new Sqlite(":memory:", { strict: true });
const query = drizzle({ client: sqlite });
const database = { query };

const full = {
  name: "full",
  enabled: true,
  at: 1_700_000_000_000,
  tags: ["a", "b"],
  bytes: Buffer.from("x"),
};

beforeAll(() => {
  sqlite.run("CREATE TABLE things (seq INTEGER PRIMARY KEY, name, enabled, at_time, tags, bytes)");
  sqlite.run("CREATE TABLE others (seq INTEGER PRIMARY KEY, name)");
});
beforeEach(() => {
  query.delete(things).run();
  query.delete(others).run();
  query
    .insert(things)
    .values([
      { seq: 1, ...full },
      { seq: 2, name: "", enabled: false, at: 0, tags: [], bytes: Buffer.alloc(0) },
      { seq: 3 },
    ])
    .run();
  query.insert(others).values({ seq: 1, name: "other" }).run();
});
afterAll(() => sqlite.close());

describe("a statement that reads", () => {
  test("returns the same rows as drizzle for every kind of column, with and without a value", () => {
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
    const rows = statement(database, (from) => from.select(columns).from(things).orderBy(things.seq)).all();
    const expected = query.select(columns).from(things).orderBy(things.seq).all();
    expect(rows).toEqual(expected);
    expect(rows.map((row) => Object.keys(row))).toEqual(expected.map((row) => Object.keys(row)));
    expect(rows[0]).toMatchObject({ tags: ["a", "b"], enabled: true, upper: "FULL", aliased: 2 });
    expect(rows[2]).toMatchObject({ tags: null, enabled: null, bytes: null });
  });

  test("returns all columns when none are named", () => {
    const all = statement(database, (from) => from.select().from(things).orderBy(asc(things.seq)));
    expect(all.all()).toEqual(query.select().from(things).orderBy(asc(things.seq)).all());
  });

  test("keeps columns of the same name in joined tables apart, flat and nested", () => {
    const flat = statement(database, (from) =>
      from
        .select({ first: things.name, second: others.name })
        .from(things)
        .innerJoin(others, eq(things.seq, others.seq)),
    );
    expect(flat.all()).toEqual([{ first: "full", second: "other" }]);
    const nested = statement(database, (from) =>
      from.select().from(things).innerJoin(others, eq(things.seq, others.seq)),
    );
    expect(nested.get()).toEqual({ things: { seq: 1, ...full }, others: { seq: 1, name: "other" } });
  });

  test("takes values by name at each call and applies the column's mapping to them", () => {
    const byEnabled = statement(database, (from) =>
      from
        .select({ name: things.name })
        .from(things)
        .where(eq(things.enabled, value(things.enabled))),
    );
    expect(byEnabled.get({ enabled: false })).toEqual({ name: "" });
    expect(byEnabled.get({ enabled: true })).toEqual({ name: "full" });
    const bySeq = statement(database, (from) =>
      from
        .select({ name: things.name })
        .from(things)
        .where(eq(things.seq, opaqueValue(things.seq, "wanted"))),
    );
    expect(bySeq.get({ wanted: 1 })).toEqual({ name: "full" });
    expect(bySeq.get({ wanted: 9 })).toBeUndefined();
  });

  test("takes limit and offset as values", () => {
    const page = statement(database, (from) =>
      from
        .select({ seq: things.seq })
        .from(things)
        .orderBy(asc(things.seq))
        .limit(countValue("limit"))
        .offset(countValue("offset")),
    );
    expect(page.all({ limit: 2, offset: 1 })).toEqual([{ seq: 2 }, { seq: 3 }]);
  });
});

describe("a statement that writes", () => {
  test("applies the mapping of the columns in an insert, and returns rows where asked", () => {
    const insert = statement(database, (into) =>
      into
        .insert(things)
        .values(valuesOf(things, "seq", "name", "enabled", "at", "tags", "bytes"))
        .returning({ seq: things.seq }),
    );
    expect(insert.get({ seq: 7, ...full })).toEqual({ seq: 7 });
    expect(query.select().from(things).where(eq(things.seq, 7)).get()).toEqual({ seq: 7, ...full });
  });

  test("inserts every column except those that are named", () => {
    const insert = statement(database, (into) =>
      into
        .insert(things)
        .values(valuesExcept(things, "seq", "bytes"))
        .returning(),
    );
    const { seq, ...inserted } = insert.get(full)!;
    expect(seq).toBeNumber();
    expect(inserted).toEqual({ ...full, bytes: null });
    const all = statement(database, (into) => into.insert(others).values(valuesExcept(others)).returning());
    expect(all.get({ seq: 9, name: "x" })).toEqual({ seq: 9, name: "x" });
  });

  test("applies the mapping of the columns in an update", () => {
    const update = statement(database, (into) =>
      into
        .update(things)
        .set({ tags: value(things.tags), enabled: value(things.enabled) })
        .where(eq(things.seq, value(things.seq))),
    );
    update.run({ seq: 2, tags: ["c"], enabled: true });
    expect(query.select().from(things).where(eq(things.seq, 2)).get()).toMatchObject({
      tags: ["c"],
      enabled: true,
    });
  });

  test("is prepared once, at its first use", () => {
    let built = 0;
    const remove = statement(database, (from) => {
      built += 1;
      return from.delete(things).where(eq(things.seq, value(things.seq)));
    });
    expect(built).toBe(0);
    remove.run({ seq: 1 });
    remove.run({ seq: 2 });
    expect(built).toBe(1);
    expect(query.select({ seq: things.seq }).from(things).all()).toEqual([{ seq: 3 }]);
  });
});
