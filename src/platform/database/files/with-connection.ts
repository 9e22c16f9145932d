import { Database as Sqlite } from "bun:sqlite";

/** Runs `work` on a connection of its own to the database at `path`, and closes it. */
export function withConnection<Result>(
  path: string,
  options: { readonly: true } | { readwrite: true; create?: false },
  work: (sqlite: Sqlite) => Result,
): Result {
  const sqlite = new Sqlite(path, { ...options, strict: true });
  try {
    return work(sqlite);
  } finally {
    sqlite.close();
  }
}
