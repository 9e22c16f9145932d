import { desc, lte } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Database } from "../../platform/database/database.ts";

/** Deletes the oldest rows beyond the limit. Counts rows: numbers that were given to deleted rows do not count. */
export function keepNewest(
  { query }: Pick<Database, "query">,
  table: SQLiteTable & { seq: SQLiteColumn },
  rowsMax: number,
): void {
  const rows = query.select({ seq: table.seq }).from(table);
  const excess = rows.orderBy(desc(table.seq)).limit(1).offset(rowsMax).get();
  if (excess !== undefined) query.delete(table).where(lte(table.seq, excess.seq)).run();
}
