import type { Database } from "bun:sqlite";

/** Runs `insert` without the indexes of a table, because sorting all rows at the end takes less time. */
export function withoutIndexes(database: Database, table: string, insert: () => void): void {
  const indexes = database
    .query<{ name: string; sql: string }, [string]>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL",
    )
    .all(table);
  for (const { name } of indexes) database.run(`DROP INDEX "${name}"`);
  insert();
  for (const { sql } of indexes) database.run(sql);
}
