import { sql, type Placeholder, type SQL } from "drizzle-orm";

/** One placeholder for each name, for the `values` of an insert that is prepared once. */
export function placeholders<Name extends string>(...names: Name[]): Record<Name, Placeholder> {
  return Object.fromEntries(names.map((name) => [name, sql.placeholder(name)])) as unknown as Record<
    Name,
    Placeholder
  >;
}

/**
 * A placeholder that SQLite's planner cannot look into. It looks into one that stands bare in a LIMIT, or in
 * a comparison of a query over several tables, and then prepares the statement anew at every call, for the
 * next value might deserve another plan (https://www.sqlite.org/c3ref/prepare.html, "recompiled"). That costs
 * 4 to 15 µs, several times what a look-up takes. Our plans are the same for all values.
 */
export function opaque(name: string): SQL {
  return sql`(select ${sql.placeholder(name)})`;
}
