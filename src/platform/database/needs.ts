import type { StandardDependencies } from "../lib/needs.ts";
import type { Database } from "./database.ts";

/** The standard dependencies, and the database. */
export interface DependenciesWithDatabase extends StandardDependencies {
  database: Database;
}

/** Types of the standard dependencies that a function names, of which one is the database. */
export type Needs<Name extends keyof DependenciesWithDatabase> = Pick<DependenciesWithDatabase, Name>;
