import type { Database as Sqlite } from "bun:sqlite";

/** Returns the highest number of a row by table. @param sqlite of any version of the schema */
export function sequencesOf(sqlite: Sqlite): Record<string, number> {
  const rows = sqlite
    .query<{ name: string; seq: number }, []>("SELECT name, seq FROM sqlite_sequence ORDER BY name")
    .all();
  return Object.fromEntries(rows.map(({ name, seq }) => [name, seq]));
}
