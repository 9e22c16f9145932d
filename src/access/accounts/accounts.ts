import { and, asc, count, eq, isNotNull, isNull, ne, or, type SQL } from "drizzle-orm";
import type { Database } from "../../platform/database/database.ts";
import { hasValue, statement } from "../../platform/database/statement.ts";
import { badRequest, notFound } from "../../platform/lib/errors.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { readAccountName } from "./account-names.ts";
import { accounts } from "./tables.ts";

type AccountRow = typeof accounts.$inferSelect;

type SecretColumn = "passwordHash" | "codeSecret" | "newCodeSecret" | "codeStep";

/** A person who uses the console. Contains no secret. */
export interface Account extends Omit<AccountRow, SecretColumn> {
  /** Where the password is; null: there is none, so the account cannot sign in with one. */
  password: "own" | "configuration" | null;
  /** Whether signing in takes a one-time code after the password. */
  hasCodes: boolean;
}

/** The secrets that verify a person. Only sign-in and the account's own changes read it. */
export type Credentials = Pick<AccountRow, SecretColumn | "disabledAt">;

/** The account that exists from the first start on. `console.password` sets its password. */
export const firstAccountName = "admin";
/**
 * Maximum number of accounts of each origin: a proxy creates one for each name, and must not use up the accounts that
 * administrators create.
 */
export const accountsMax = 1_000;

export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts({
  database,
  config,
}: {
  database: Database;
  /** `console.password`, which can change. */
  config: { readonly password: string | null };
}) {
  const { query } = database;
  const bySeq = statement(database, (q) => q.select().from(accounts).where(hasValue(accounts.seq)));
  const byName = statement(database, (q) => q.select().from(accounts).where(hasValue(accounts.name)));
  const toAccount = (row: AccountRow): Account => {
    const { passwordHash, codeSecret, newCodeSecret: _, codeStep: __, ...shown } = row;
    const isConfigured = row.name === firstAccountName && config.password !== null;
    return {
      ...shown,
      password: isConfigured ? "configuration" : passwordHash === null ? null : "own",
      hasCodes: codeSecret !== null,
    };
  };
  const found = (row: AccountRow | undefined) => (row === undefined ? undefined : toAccount(row));
  const get = (seq: number) => found(bySeq.get({ seq }));
  const find = (given: string) => {
    const name = readAccountName(given);
    return name === undefined ? undefined : found(byName.get({ name }));
  };
  const countOf = (where: SQL | undefined) =>
    query.select({ n: count() }).from(accounts).where(where).get()!.n;

  return {
    get,
    /** @param name in any case */
    byName: find,
    /** @throws PublicError `not_found` that names the account */
    require(nameOrSeq: string | number): Account {
      const account = typeof nameOrSeq === "number" ? get(nameOrSeq) : find(nameOrSeq);
      if (account !== undefined) return account;
      throw notFound(
        typeof nameOrSeq === "number"
          ? "There is no such account."
          : `There is no account ${visible(nameOrSeq, 80)}.`,
      );
    },
    /** Returns all accounts by age. */
    list: (): Account[] => query.select().from(accounts).orderBy(asc(accounts.seq)).all().map(toAccount),
    credentialsOf: (seq: number): Credentials => bySeq.get({ seq })!,
    /** Writes columns. Callers record the change in the audit log, in the same transaction. */
    update: (seq: number, values: Partial<Omit<AccountRow, "seq" | "name">>) =>
      void query.update(accounts).set(values).where(eq(accounts.seq, seq)).run(),
    /** @throws PublicError `bad_request` if the name is taken or there are too many accounts */
    insert: (row: Pick<AccountRow, "name" | "role" | "createdAt" | "passwordHash" | "origin">): Account =>
      database.transaction(() => {
        if (find(row.name) !== undefined)
          throw badRequest(`The name ${row.name} is taken. Choose another one.`);
        if (countOf(eq(accounts.origin, row.origin)) >= accountsMax)
          throw badRequest(`There are ${accountsMax} accounts, which is the maximum.`);
        return toAccount(query.insert(accounts).values(row).returning().get());
      }),
    delete: (seq: number) => void query.delete(accounts).where(eq(accounts.seq, seq)).run(),
    /**
     * Throws unless another administrator remains who can sign in with a password. Accounts of the proxy do not count: if it
     * fails, no change would be possible.
     * @throws PublicError `bad_request`
     */
    requireOtherAdministrator(seq: number) {
      const hasPassword = isNotNull(accounts.passwordHash);
      const others = and(
        ne(accounts.seq, seq),
        eq(accounts.role, "administrator"),
        eq(accounts.origin, "local"),
        isNull(accounts.disabledAt),
        config.password === null ? hasPassword : or(hasPassword, eq(accounts.name, firstAccountName)),
      );
      if (countOf(others) === 0)
        throw badRequest(
          "This is the last administrator who can sign in with a password. Make another account an administrator first.",
        );
    },
  };
}
