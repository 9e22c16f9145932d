import { Database as Sqlite } from "bun:sqlite";
import { expect, test } from "bun:test";
import type { Query } from "../../../../src/platform/database/files/file-worker.ts";
import { compareIndexes } from "../../../../src/platform/database/health/index-comparison.ts";
import { migrateDatabase } from "../../../../src/platform/database/migrate.ts";
import { randomFrom } from "../../../../scripts/benchmarks/random.ts";

const queryOf =
  (sqlite: Sqlite): Query =>
  (sql, ...parameters) =>
    Promise.resolve(sqlite.query(sql).values(...parameters));

const compare = (sqlite: Sqlite, options: Partial<Parameters<typeof compareIndexes>[0]> = {}) =>
  compareIndexes({
    query: queryOf(sqlite),
    sliceMs: 1,
    elapsedMs: () => performance.now(),
    next: () => Promise.resolve(true),
    ...options,
  });

const kinds = {
  plain: "CREATE INDEX plain ON things (a)",
  pair: "CREATE UNIQUE INDEX pair ON things (a, b)",
  partial: `CREATE INDEX partial ON things (c) WHERE "things"."c" is not null and a <> 'x,y)'`,
  expression: "CREATE INDEX expression ON things ((c ->> '$.id')) WHERE (c ->> '$.id') is not null",
};

/** Returns a database with an index of each kind, and rows of which some have equal and missing values. */
function example(rows: number): Sqlite {
  const sqlite = new Sqlite(":memory:");
  sqlite.run("CREATE TABLE things (seq INTEGER PRIMARY KEY, a TEXT, b INTEGER, c TEXT, UNIQUE (b, a))");
  for (const sql of Object.values(kinds)) sqlite.run(sql);
  sqlite.run("CREATE TABLE other (id TEXT PRIMARY KEY) WITHOUT ROWID");
  const insert = sqlite.query("INSERT INTO things (a, b, c) VALUES (?, ?, ?)");
  for (let row = 0; row < rows; row++)
    insert.run(row % 7 === 0 ? null : `a${row % 50}`, row, row % 3 === 0 ? null : `{"id":${row % 11}}`);
  return sqlite;
}

/** Runs a change, and puts the pages of an index back, so that the index has not followed. */
function changeWithout(sqlite: Sqlite, index: string, sql: string): Sqlite {
  const { page_size: size } = sqlite.query<{ page_size: number }, []>("PRAGMA page_size").get()!;
  const pages = sqlite.query("SELECT pageno FROM dbstat WHERE name = ?").values(index).flat().map(Number);
  const before = sqlite.serialize();
  sqlite.run(sql);
  const after = sqlite.serialize();
  for (const page of pages) after.set(before.subarray((page - 1) * size, page * size), (page - 1) * size);
  return Sqlite.deserialize(after);
}

test("Every index of the database is compared, each by a search in itself", async () => {
  const sqlite = new Sqlite(":memory:");
  migrateDatabase(sqlite);
  const searched = new Set<string>();
  const query: Query = async (sql, ...parameters) => {
    const rows = await queryOf(sqlite)(sql, ...parameters);
    // The tables are empty, so no row is searched: the plan counts. The index of a constraint needs no row number.
    const plan = sqlite.query(`EXPLAIN QUERY PLAN ${sql}`).values(...parameters.slice(0, 2));
    for (const [, , , step] of plan) {
      const index =
        /^SEARCH .* USING (?:COVERING )?INDEX (\S*autoindex\S* \(.+=\?\)|\S+ \(.*rowid=\?\))/.exec(
          String(step),
        )?.[1];
      if (index !== undefined) searched.add(index.split(" ")[0]!);
    }
    // As if each table had a row.
    return sql.startsWith("SELECT max(row)") && parameters[0] === Number.MIN_SAFE_INTEGER ? [[0]] : rows;
  };
  expect(await compare(sqlite, { query })).toBe("ok");
  const indexes = sqlite
    .query(
      `SELECT i.name FROM pragma_table_list AS t, pragma_index_list(t.name) AS i
       WHERE t.schema = 'main' AND t.type = 'table' AND NOT t.wr`,
    )
    .values()
    .flat();
  expect(indexes.length).toBeGreaterThan(100);
  expect([...searched].sort()).toEqual((indexes as string[]).sort());
  // Those without row numbers have no further index, and are checked with their pages.
  const others =
    "SELECT i.name FROM pragma_table_list AS t, pragma_index_list(t.name) AS i WHERE t.wr AND i.origin <> 'pk'";
  expect(sqlite.query(others).values()).toEqual([]);
});

test("An intact database is found to be so, in slices of any size", async () => {
  const sqlite = example(5_000);
  expect(await compare(sqlite)).toBe("ok");
  let slices = 0;
  const next = () => Promise.resolve(++slices > 0);
  expect(await compare(sqlite, { sliceMs: -1, next })).toBe("ok");
  expect(slices).toBeGreaterThan(100);
});

test.each(Object.keys(kinds))(
  "Missing, wrong and superfluous entries of the index '%s' are found wherever they are",
  async (index) => {
    const random = randomFrom(7);
    for (const [change, found] of [
      ["UPDATE things SET a = 'changed', c = '{\"id\":99}' WHERE seq = ?", "row ? missing from index"],
      ["DELETE FROM things WHERE seq = ?", "wrong # of entries in index"],
      [
        "INSERT INTO things (seq, a, b, c) VALUES (5000 + ?, 'new', -1, '{\"id\":5}')",
        "wrong # of entries in index",
      ],
    ] as const) {
      // No row that partial indexes leave out.
      const row = String(21 * random.below(90) + 2);
      const sqlite = changeWithout(example(2_000), index, change.replace("?", row));
      expect(await compare(sqlite)).toBe(`${found.replace("?", row)} ${index}`);
    }
  },
);

test("A comparison that is ended continues at its position, and does not repeat what came before", async () => {
  const sqlite = example(2_000);
  let position: { table: string; row: number } | undefined;
  const next = (done: typeof position) => {
    position = done;
    return Promise.resolve((done?.row ?? 0) < 1_000);
  };
  expect(await compare(sqlite, { next })).toBeUndefined();
  const before = changeWithout(sqlite, "plain", "UPDATE things SET a = 'changed' WHERE seq = 10");
  expect(await compare(before, { from: position! })).toBe("ok");
  const after = changeWithout(sqlite, "plain", "UPDATE things SET a = 'changed' WHERE seq = 1999");
  expect(await compare(after, { from: position! })).toBe("row 1999 missing from index plain");
});
