import { asc, eq } from "drizzle-orm";
import type { Database } from "../../database/database.ts";
import { statement, value } from "../../database/statement.ts";
import type { Role } from "../../vocabulary/permissions.ts";
import { accounts } from "./tables.ts";

/** A person who uses the console. */
export interface Account {
  seq: number;
  name: string;
  role: Role;
}

/** The account that exists from the first start on. */
export const firstAccountName = "admin";

export interface Accounts {
  get(seq: number): Account | undefined;
  byName(name: string): Account | undefined;
  /** Returns all accounts by age. */
  list(): Account[];
}

const columns = { seq: accounts.seq, name: accounts.name, role: accounts.role };

export function createAccounts(database: Database): Accounts {
  const bySeq = statement(database, (query) =>
    query
      .select(columns)
      .from(accounts)
      .where(eq(accounts.seq, value(accounts.seq))),
  );
  const byName = statement(database, (query) =>
    query
      .select(columns)
      .from(accounts)
      .where(eq(accounts.name, value(accounts.name))),
  );
  return {
    get: (seq) => bySeq.get({ seq }),
    byName: (name) => byName.get({ name: name.toLowerCase() }),
    list: () => database.query.select(columns).from(accounts).orderBy(asc(accounts.seq)).all(),
  };
}
