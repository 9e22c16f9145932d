import type { Database as Sqlite, SQLQueryBindings, Statement } from "bun:sqlite";

/**
 * A statement in SQL. Values are given in the order of the placeholders, or as one object by their names. They are
 * stored and returned as SQLite has them: booleans as 0 and 1, JSON as text.
 */
export interface SqlStatement<Row, Values extends SQLQueryBindings[]> {
  /** Returns the first row, or undefined where there is none. */
  get(...values: Values): Row | undefined;
  all(...values: Values): Row[];
  /** Runs a write and returns the number of rows that it changed, cascades included. */
  run(...values: Values): number;
}

/** Returns a statement that is prepared at its first use. */
export type Prepare = <Row, Values extends SQLQueryBindings[] = []>(sql: string) => SqlStatement<Row, Values>;

export function preparing(sqlite: Sqlite): Prepare {
  return <Row, Values extends SQLQueryBindings[]>(text: string): SqlStatement<Row, Values> => {
    let made: Statement<Row, Values> | undefined;
    // Its types take parameters that are no array as well.
    const prepared = () => (made ??= sqlite.prepare(text) as Statement<Row, Values>);
    return {
      get: (...values) => prepared().get(...values) ?? undefined,
      all: (...values) => prepared().all(...values),
      run: (...values) => prepared().run(...values).changes,
    };
  };
}
