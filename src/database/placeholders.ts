import { sql, type Placeholder } from "drizzle-orm";

/** One placeholder for each name, for the `values` of an insert that is prepared once. */
export function placeholders<Name extends string>(...names: Name[]): Record<Name, Placeholder> {
  return Object.fromEntries(names.map((name) => [name, sql.placeholder(name)])) as unknown as Record<
    Name,
    Placeholder
  >;
}
