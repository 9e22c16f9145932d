import { Column, getTableColumns, sql, SQL, type Placeholder, type Table } from "drizzle-orm";
import type { Database } from "./database.ts";

/**
 * One way to query: a statement that is built and prepared once, at its first use, and called with named
 * values. Every value passes the mapping of its column (JSON, booleans, bytes) in both directions.
 *
 *     const find = statement(database, (query) =>
 *       query.select().from(threats).where(eq(threats.id, value(threats.id))),
 *     );
 *     find.get({ id });
 */
export interface Statement<Row> {
  /** Returns the first row, or undefined where there is none. */
  get(values?: Values): Row | undefined;
  all(values?: Values): Row[];
  /** Runs a write and discards what it returns. */
  run(values?: Values): void;
}

/** Values of a statement's placeholders by name. */
type Values = Record<string, unknown>;

/** The part of drizzle's prepared query that a statement needs. */
interface Prepared {
  get(values?: Values): unknown;
  all(values?: Values): unknown[];
  run(values?: Values): unknown;
  values(values?: Values): unknown[][];
}

interface Preparable {
  prepare(): object;
}

type RowOf<Query> = Query extends { _: { result: readonly (infer Row)[] } }
  ? Row
  : Query extends { _: { returning: infer Row } }
    ? Row
    : never;

export function statement<Query extends Preparable>(
  database: Pick<Database, "query">,
  build: (query: Database["query"]) => Query,
): Statement<RowOf<Query>> {
  type Row = RowOf<Query>;
  let made: Statement<Row> | undefined;
  const prepared = (): Statement<Row> => {
    if (made === undefined) {
      const query = build(database.query);
      const decode = decoderOf(query);
      // drizzle forbids, by type, methods that return rows where a write returns none.
      const plain = query.prepare() as Prepared;
      made = (decode === undefined ? plain : decodeRows(plain, decode)) as Statement<Row>;
    }
    return made;
  };
  return {
    get: (values) => prepared().get(values),
    all: (values) => prepared().all(values),
    run: (values) => void prepared().run(values),
  };
}

/** Placeholder for a value of `column`. It is named `name`, by default the column's property in its table. */
export function value(column: Column, name = propertyOf(column)): SQL {
  return sql`${sql.param(sql.placeholder(name), column)}`;
}

/**
 * Placeholder that SQLite's query planner cannot look into. It looks into a placeholder in a comparison of a
 * query over several tables, and then recompiles the statement whenever the value changes, in case it deserves
 * another plan (https://www.sqlite.org/c3ref/prepare.html). That costs 4 to 15 µs, several times the lookup
 * itself, and our plans are the same for all values.
 */
export function opaqueValue(column: Column, name = propertyOf(column)): SQL {
  return sql`(select ${value(column, name)})`;
}

/** Placeholder for a LIMIT or OFFSET, opaque for the same reason. */
export function countValue(name: string): Placeholder {
  // drizzle accepts any SQL here, but types only numbers and placeholders.
  return sql`(select ${sql.placeholder(name)})` as unknown as Placeholder;
}

/** Placeholders for an insert or update of several columns, named after the columns' properties. */
export function valuesOf<T extends Table, Name extends keyof T["_"]["columns"] & string>(
  table: T,
  ...names: Name[]
): Record<Name, SQL> {
  const columns: Record<string, Column> = getTableColumns(table);
  return Object.fromEntries(names.map((name) => [name, value(columns[name]!, name)])) as Record<Name, SQL>;
}

function propertyOf(column: Column): string {
  const columns: Record<string, Column> = getTableColumns(column.table);
  return Object.keys(columns).find((name) => columns[name] === column) ?? column.name;
}

type Decode = (values: unknown[]) => object;

/**
 * Returns a function that turns a row's values into an object, or undefined where drizzle has to do it (no
 * select, or nested rows of a join). drizzle finds the place and the mapping of each value again for each row;
 * settling both once halves the time of a page of rows.
 */
function decoderOf(query: object): Decode | undefined {
  const fields = (query as { _?: { config?: { fields?: Record<string, unknown> } } })._?.config?.fields;
  if (fields === undefined) return undefined;
  const names = Object.keys(fields);
  const mappings = Object.values(fields).map(mappingOf);
  if (!Object.values(fields).every(isFlat)) return undefined;
  return (values) => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < names.length; index += 1) {
      const stored = values[index];
      const mapping = mappings[index];
      row[names[index]!] = mapping === undefined || stored === null ? stored : mapping(stored);
    }
    return row;
  };
}

function isFlat(field: unknown): boolean {
  return field instanceof Column || field instanceof SQL || field instanceof SQL.Aliased;
}

/** Returns undefined for a value that is used as the database returns it; expressions are typed by their author. */
function mappingOf(field: unknown): ((stored: unknown) => unknown) | undefined {
  if (!(field instanceof Column)) return undefined;
  if (field.mapFromDriverValue === Column.prototype.mapFromDriverValue) return undefined;
  return (stored) => field.mapFromDriverValue(stored);
}

function decodeRows(prepared: Prepared, decode: Decode): Omit<Prepared, "values"> {
  return {
    get(values) {
      const [first] = prepared.values(values);
      return first === undefined ? undefined : decode(first);
    },
    all: (values) => prepared.values(values).map(decode),
    run: (values) => prepared.run(values),
  };
}
