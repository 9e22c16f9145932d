import type { SQLQueryBindings, Statement as SqliteStatement } from "bun:sqlite";
import { Column, eq, getTableColumns, is, Param, Placeholder, sql, SQL, type Table } from "drizzle-orm";
import { lazy } from "../lib/startup.ts";
import type { Word } from "../lib/key-names.ts";
import type { Database } from "./database.ts";

/**
 * One way to query: a statement that is built and prepared once, at its first use, and called with named
 * values. Every value passes the mapping of its column (JSON, booleans, bytes) in both directions.
 *
 *     const find = statement(database, (query) => query.select().from(threats).where(hasValue(threats.id)));
 *     find.get({ id });
 */
export interface Statement<Row> {
  /** Returns the first row, or undefined where there is none. */
  get(values?: Values): Row | undefined;
  all(values?: Values): Row[];
  /**
   * Runs a write and returns the number of rows that it changed, cascades included. To learn whether there was such a
   * row, this is cheaper than RETURNING, with which an update takes three times as long within `write`.
   */
  run(values?: Values): number;
}

/** Values of a statement's placeholders by name. */
type Values = Record<string, unknown>;

/** The part of drizzle's prepared query that a statement needs. */
interface Prepared {
  readonly stmt: Pick<SqliteStatement, "run" | "values">;
  getQuery(): { params: readonly unknown[] };
  get(values?: Values): unknown;
  all(values?: Values): unknown[];
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
  const prepared = lazy((): Statement<Row> => {
    const query = build(database.query);
    const decode = decoderOf(query);
    // drizzle hides, by type, the statement, and methods that return rows where a write returns none.
    return bound(query.prepare() as Prepared, decode) as Statement<Row>;
  });
  return {
    get: (values) => prepared().get(values),
    all: (values) => prepared().all(values),
    run: (values) => prepared().run(values),
  };
}

/** Placeholder for a value of `column`. It is named `name`, by default the column's property in its table. */
export function value(column: Column, name = propertyOf(column)): SQL {
  return sql`${sql.param(sql.placeholder(name), column)}`;
}

/** Condition that a column has the value of such a placeholder. */
export function hasValue(column: Column, name?: string): SQL {
  return eq(column, value(column, name));
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

/** Columns of a select, given by their names, separated by spaces. */
export function columnsOf<T extends Table, Names extends string>(
  table: T,
  names: Word<Names> extends keyof T["_"]["columns"] ? Names : never,
): Pick<T["_"]["columns"], Word<Names>> {
  const columns: Record<string, Column> = getTableColumns(table);
  const chosen = names.split(" ").map((name) => [name, columns[name]!]);
  return Object.fromEntries(chosen) as Pick<T["_"]["columns"], Word<Names>>;
}

/** Placeholders for an insert or update of several columns, named after the columns' properties. */
export function valuesOf<T extends Table, Name extends keyof T["_"]["columns"] & string>(
  table: T,
  ...names: Name[]
): Record<Name, SQL> {
  const columns: Record<string, Column> = getTableColumns(table);
  return Object.fromEntries(names.map((name) => [name, value(columns[name]!, name)])) as Record<Name, SQL>;
}

/** Placeholders for an insert of all columns except those that a new row has no value for. */
export function valuesExcept<T extends Table, Name extends keyof T["_"]["columns"] & string = never>(
  table: T,
  ...names: Name[]
): Record<Exclude<keyof T["_"]["columns"] & string, Name>, SQL> {
  type Given = Exclude<keyof T["_"]["columns"] & string, Name>;
  const excluded: readonly string[] = names;
  const given = Object.keys(getTableColumns(table)).filter((name) => !excluded.includes(name));
  return valuesOf(table, ...(given as Given[]));
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

/** Binds values and decodes rows without drizzle, which classifies each parameter again in each call. */
function bound(prepared: Prepared, decode: Decode | undefined): Statement<unknown> {
  const { stmt } = prepared;
  const bind = binderOf(prepared.getQuery().params);
  const run = (values?: Values) => stmt.run(...bind(values)).changes;
  if (decode === undefined)
    return { get: (values) => prepared.get(values), all: (values) => prepared.all(values), run };
  return {
    get(values) {
      const [first] = stmt.values(...bind(values));
      return first === undefined ? undefined : decode(first);
    },
    all: (values) => stmt.values(...bind(values)).map(decode),
    run,
  };
}

type Bindable = SQLQueryBindings;

/** Returns a function that returns the values of a statement's parameters in their order. */
function binderOf(parameters: readonly unknown[]): (values?: Values) => Bindable[] {
  const sources = parameters.map(sourceOf);
  return (values = {}) =>
    sources.map(({ constant, name, encode }) => {
      if (name === undefined) return constant as Bindable;
      const given = values[name];
      if (given === undefined && !(name in values)) throw new Error(`no value for ${name}`);
      return (encode === undefined ? given : encode(given)) as Bindable;
    });
}

/** Returns where the value of a parameter comes from: a constant, or a name with the mapping of its column. */
function sourceOf(parameter: unknown): {
  constant?: unknown;
  name?: string;
  encode?: (value: unknown) => unknown;
} {
  if (is(parameter, Placeholder)) return { name: parameter.name };
  if (!is(parameter, Param) || !is(parameter.value, Placeholder)) return { constant: parameter };
  const { encoder, value: placeholder } = parameter;
  const isPlain = encoder.mapToDriverValue === Column.prototype.mapToDriverValue;
  return isPlain
    ? { name: placeholder.name }
    : { name: placeholder.name, encode: (given) => encoder.mapToDriverValue(given) };
}
