import type { Database as Sqlite } from "bun:sqlite";
import type { Query } from "../files/file-worker.ts";
import type { StartedCheck } from "../files/state-file.ts";

/** Position of a comparison, from which it can continue later: everything before it was found to be right. */
type Position = NonNullable<StartedCheck["position"]>;

/** Number of rows in the first slice. */
const firstRows = 256;
const rowsMin = 16;
const rowsMax = 8_192;

export interface ComparisonOptions {
  query: Query;
  from?: Position | null;
  /** Time that one slice should take. */
  sliceMs: number;
  /** Is called after each slice. Resolves to false to end the comparison. */
  next: (done: Position, elapsedMs: number) => Promise<boolean>;
  elapsedMs: () => number;
}

/**
 * Compares all indexes with their tables, in slices of some milliseconds. Each row has to be found in each index by search, and
 * an index may have no further entries. SQLite's `integrity_check` does the same in one statement, which takes 20 s for a
 * million threats and keeps the write-ahead log from being restarted.
 * @returns "ok", the first thing that is wrong in the words of SQLite, or undefined if `next` has ended the comparison
 */
export async function compareIndexes(options: ComparisonOptions): Promise<string | undefined> {
  const { query, from = null, sliceMs, next, elapsedMs } = options;
  let rows = firstRows;
  for (const { table, count, end, compare } of await readComparisons(query)) {
    if (from !== null && table < from.table) continue;
    let row = from?.table === table ? from.row : -Infinity;
    let startedAtMs = elapsedMs();
    const goesOn = async () => {
      const tookMs = elapsedMs() - startedAtMs;
      const isGoing = await next({ table, row }, tookMs);
      startedAtMs = elapsedMs();
      return { isGoing, tookMs };
    };
    if (row === -Infinity) {
      row = Number.MIN_SAFE_INTEGER;
      const [wrong] = (await query(count))[0]!;
      if (wrong !== null) return `wrong # of entries in index ${String(wrong)}`;
      if (!(await goesOn()).isGoing) return undefined;
    }
    for (;;) {
      const last = (await query(end, row, rows))[0]![0];
      if (last === null) break;
      const [missing] = await query(compare, row, last as number);
      if (missing !== undefined) return `row ${String(missing[1])} missing from index ${String(missing[0])}`;
      row = last as number;
      const { isGoing, tookMs } = await goesOn();
      if (!isGoing) return undefined;
      rows = Math.min(rowsMax, Math.max(rowsMin, tookMs > sliceMs ? rows >> 1 : rows << 1));
    }
  }
  return "ok";
}

/** Compares all indexes on a connection of a command, where nothing else waits. */
export async function compareAtOnce(sqlite: Sqlite): Promise<string> {
  const result = await compareIndexes({
    query: (sql, ...parameters) => Promise.resolve(sqlite.query(sql).values(...parameters)),
    sliceMs: 100,
    elapsedMs: () => performance.now(),
    next: () => Promise.resolve(true),
  });
  return result!;
}

interface Comparison {
  table: string;
  /** Returns the name of an index with too few or too many entries, or null. */
  count: string;
  /** Returns the last row of the slice after a row. Parameters: row, number of rows. */
  end: string;
  /** Returns an index and a row that is missing from it, if there is one. Parameters: the row before the slice, its last row. */
  compare: string;
}

interface IndexSchema {
  name: string;
  /** Columns and expressions. */
  keys: string[];
  /** Condition of a partial index. */
  condition: string | undefined;
}

/** Tables without row numbers have no further indexes. Their order is checked with their pages. */
async function readComparisons(query: Query): Promise<Comparison[]> {
  const rows = await query(
    `SELECT t.name, i.name, m.sql, (SELECT json_group_array(c.name) FROM pragma_index_info(i.name) AS c)
     FROM pragma_table_list AS t, pragma_index_list(t.name) AS i
     LEFT JOIN sqlite_master AS m ON m.type = 'index' AND m.name = i.name
     WHERE t.schema = 'main' AND t.type = 'table' AND NOT t.wr ORDER BY t.name, i.name`,
  );
  const indexes = new Map<string, IndexSchema[]>();
  for (const [table, name, sql, columns] of rows as [string, string, string | null, string][]) {
    const given = sql === null ? undefined : parseIndex(sql);
    const keys = (JSON.parse(columns) as (string | null)[]).map((column, place) =>
      column === null ? given!.keys[place]! : quoted(column),
    );
    indexes.set(table, [...(indexes.get(table) ?? []), { name, keys, condition: given?.condition }]);
  }
  return [...indexes].map(([table, list]) => comparisonOf(table, list));
}

function comparisonOf(table: string, indexes: readonly IndexSchema[]): Comparison {
  const from = `FROM ${quoted(table)}`;
  const columns = indexes.flatMap(({ keys, condition = "TRUE" }, index) => [
    `(${condition}) AS is${index}`,
    ...keys.map((key, place) => `${key} AS key${index}_${place}`),
  ]);
  const missing = indexes.map(({ name, keys, condition = "TRUE" }, index) => {
    const same = keys.map((key, place) => `${key} IS slice.key${index}_${place}`);
    return `WHEN slice.is${index} AND NOT EXISTS (SELECT 1 ${from} INDEXED BY ${quoted(name)}
      WHERE ${same.join(" AND ")} AND ${quoted(table)}.rowid = slice.row AND (${condition})) THEN ${text(name)}`;
  });
  const counted = indexes.map(({ name, condition = "TRUE" }, index) => {
    return `WHEN count${index} <> (SELECT count(*) ${from} INDEXED BY ${quoted(name)} WHERE ${condition}) THEN ${text(name)}`;
  });
  return {
    table,
    end: `SELECT max(row) FROM (SELECT rowid AS row ${from} NOT INDEXED WHERE rowid > ? ORDER BY rowid LIMIT ?)`,
    compare: `WITH slice AS MATERIALIZED (SELECT rowid AS row, ${columns.join(", ")} ${from} NOT INDEXED WHERE rowid > ? AND rowid <= ?)
      SELECT CASE ${missing.join(" ")} END AS missing, row FROM slice WHERE missing IS NOT NULL LIMIT 1`,
    count: `WITH counts AS MATERIALIZED (SELECT ${indexes.map(({ condition }, index) => `count(*)${condition === undefined ? "" : ` FILTER (WHERE ${condition})`} AS count${index}`).join(", ")} ${from} NOT INDEXED)
      SELECT CASE ${counted.join(" ")} END FROM counts`,
  };
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
const text = (value: string) => `'${value.replaceAll("'", "''")}'`;

/** Splits a statement that creates an index, as SQLite stores it, into its columns or expressions and its condition. */
function parseIndex(sql: string): Pick<IndexSchema, "keys" | "condition"> {
  const keys: string[] = [];
  let depth = 0;
  let from = 0;
  for (const { 0: mark, index } of sql.matchAll(/'[^']*'|"[^"]*"|`[^`]*`|[(),]/g)) {
    if (mark === "(" && depth++ === 0) from = index + 1;
    else if (mark === ")" && --depth === 0) {
      keys.push(sql.slice(from, index));
      return { keys, condition: /^\s*where\s+(.*)$/is.exec(sql.slice(index + 1))?.[1] };
    } else if (mark === "," && depth === 1) {
      keys.push(sql.slice(from, index));
      from = index + 1;
    }
  }
  throw new Error(`cannot read the index: ${sql}`);
}
