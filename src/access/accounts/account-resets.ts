import { badRequest } from "../../platform/lib/errors.ts";
import type { Actor } from "../audit/actor.ts";
import type { Needs } from "../audit/needs.ts";
import type { AccountCodes } from "./account-codes.ts";
import type { AccountLinks, NewLink } from "./account-links.ts";
import type { Account, Accounts } from "./accounts.ts";
import type { PasswordHashes } from "./password-hashes.ts";
import { requireGoodPassword } from "./password-rules.ts";

export interface Options {
  by: Actor;
}

/** Replaces passwords and codes that people have lost. */
export interface AccountResets {
  /**
   * Creates a link to choose a new password with. Until it is used, the present password works.
   * @throws PublicError `bad_request` if the account has no password of its own
   */
  reset(seq: number, wanted: { lifetimeMs?: number | undefined }, options: Options): NewLink;
  /** Sets a password and ends all sessions of the account. @throws FieldError of `password`; PublicError `bad_request` */
  setPassword(seq: number, password: string, options: Options): Promise<void>;
  /** Removes one-time codes and recovery codes, for somebody who lost the phone. */
  removeCodes(seq: number, options: Options): void;
}

export function createResets({
  accounts,
  auditLog,
  change,
  codes,
  database,
  hashes,
  links,
  sessions,
}: Needs<"auditLog" | "database"> & {
  accounts: Accounts;
  /** Runs a change of an account in a transaction. */
  change: <T>(seq: number, work: (account: Account) => T) => T;
  codes: AccountCodes;
  hashes: PasswordHashes;
  links: AccountLinks;
  sessions: { endAllOf(accountSeq: number): number };
}): AccountResets {
  return {
    reset: (seq, { lifetimeMs }, { by }) =>
      change(seq, (account) => {
        requireOwnPassword(account);
        if (account.disabledAt !== null)
          throw badRequest(`The account ${account.name} is disabled. Enable it first.`);
        const link = links.create(seq, lifetimeMs);
        auditLog.record(by, "account.reset", account.name);
        return link;
      }),

    async setPassword(seq, password, { by }) {
      const { name } = requireOwnPassword(accounts.require(seq));
      requireGoodPassword(password, { name, field: "password" });
      const passwordHash = await hashes.hash(password);
      await database.write(() => {
        requireOwnPassword(accounts.require(seq));
        accounts.update(seq, { passwordHash });
        links.revoke(seq);
        sessions.endAllOf(seq);
        auditLog.record(by, "account.set_password", name);
      });
    },

    removeCodes: (seq, { by }) =>
      change(seq, ({ name, hasCodes }) => {
        if (!hasCodes) return;
        codes.remove(seq);
        auditLog.record(by, "account.remove_codes", name);
      }),
  };
}

/** @throws PublicError `bad_request` if the password of an account cannot be changed here */
export function requireOwnPassword(account: Account): Account {
  if (account.password === "configuration")
    throw badRequest(
      `The password of ${account.name} is console.password in the configuration file. Change it there, and reload the configuration.`,
    );
  if (account.origin === "proxy")
    throw badRequest(`The proxy signs ${account.name} in, so the account has no password here.`);
  return account;
}
