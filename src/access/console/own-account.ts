import { requireOwnPassword } from "../accounts/account-resets.ts";
import type { AccountCodes } from "../accounts/account-codes.ts";
import type { AccountLinks, LinkState } from "../accounts/account-links.ts";
import type { Account, Accounts } from "../accounts/accounts.ts";
import type { PasswordHashes } from "../accounts/password-hashes.ts";
import { requireGoodPassword } from "../accounts/password-rules.ts";
import type { Actor } from "../audit/actor.ts";
import { FieldError, PublicError } from "../../platform/lib/errors.ts";
import type { Needs } from "../audit/needs.ts";
import type { AttemptQueue, CodeAttempts } from "./attempt-queue.ts";
import { createOwnCodes, tooManyAttempts, type Options, type OwnCodes, type Self } from "./own-codes.ts";
import type { ConsolePassword } from "./password.ts";
import type { ConsoleSession, ConsoleSessions } from "./sessions.ts";

/** Changes that people make to their own accounts. All are recorded in the audit log. */
export interface OwnAccount extends OwnCodes {
  /**
   * Changes the password, and ends all sessions of the account except this one.
   * @throws FieldError of `current` for a wrong password, of `password` for one that is not allowed
   */
  changePassword(self: Self, given: { current: string; password: string }, options: Options): Promise<void>;
  /** Returns the active sessions of the account, most recently seen first. */
  sessions(self: Self): ConsoleSession[];
  /** Ends one of the account's sessions. Returns false if it has ended, or belongs to another account. */
  endSession(self: Self, seq: number, options: Options): boolean;
  /** Ends all sessions of the account except this one, and returns how many. */
  endOtherSessions(self: Self, options: Options): number;
  /** Returns the account that a link is for, and whether the link works; undefined if there is no such link. */
  linkOf(token: string): { account: Account; state: LinkState } | undefined;
  /**
   * Chooses a password with a link, which works once, and ends all sessions of the account.
   * @throws FieldError of `password`; PublicError `not_found` if the link does not work (any more)
   */
  choosePassword(token: string, password: string, options: Options): Promise<Account>;
}

export function createOwnAccount({
  accounts,
  auditLog,
  codeAttempts,
  codes,
  database,
  hashes,
  links,
  password: passwords,
  queue,
  sessions,
}: Needs<"auditLog" | "database"> & {
  accounts: Accounts;
  codeAttempts: CodeAttempts;
  codes: AccountCodes;
  hashes: PasswordHashes;
  links: AccountLinks;
  password: ConsolePassword;
  queue: AttemptQueue;
  sessions: ConsoleSessions;
}): OwnAccount {
  /** Attempts of a session have turns of their own. Who holds a session must not guess the password at full speed. */
  const originOf = ({ session }: Self, { address }: Actor) => ({
    address,
    visit: `session ${session.seq}`,
    device: `session ${session.seq}`,
  });

  async function requirePassword(self: Self, attempt: string, field: string, by: Actor): Promise<void> {
    const { name } = self.account;
    const isCorrect = await queue.verify(
      originOf(self, by),
      async () => (await passwords.verify(name, attempt)) !== undefined,
    );
    if (isCorrect === undefined) throw tooManyAttempts();
    if (!isCorrect) throw new FieldError(field, "The password is incorrect. No changes were made.");
  }

  return {
    async changePassword({ account, session }, { current, password }, { by }) {
      const { seq, name } = requireOwnPassword(accounts.require(account.seq));
      requireGoodPassword(password, { name, field: "password" });
      await requirePassword({ account, session }, current, "current", by);
      const passwordHash = await hashes.hash(password);
      await database.write(() => {
        accounts.update(seq, { passwordHash });
        links.revoke(seq);
        sessions.endAllOf(seq, session.seq);
        auditLog.record(by, "account.change_password", name);
      });
    },

    ...createOwnCodes({ accounts, auditLog, codeAttempts, codes, database, originOf, requirePassword }),
    sessions: ({ account }) => sessions.list(account.seq),

    endSession: ({ account }, seq, { by }) =>
      database.transaction(() => {
        const own = sessions.list(account.seq).find((session) => session.seq === seq);
        if (own === undefined) return false;
        sessions.end(own);
        auditLog.record(by, "console.sign_out", null);
        return true;
      }),

    endOtherSessions: ({ account, session }, { by }) =>
      database.transaction(() => {
        const ended = sessions.endAllOf(account.seq, session.seq);
        auditLog.record(by, "account.end_sessions", account.name, { sessions: ended });
        return ended;
      }),

    ...createPasswordChoice({ accounts, auditLog, database, hashes, links, sessions }),
  };
}

/** Chooses passwords with links. */
function createPasswordChoice({
  accounts,
  auditLog,
  database,
  hashes,
  links,
  sessions,
}: Needs<"auditLog" | "database"> & {
  accounts: Accounts;
  hashes: PasswordHashes;
  links: AccountLinks;
  sessions: ConsoleSessions;
}): Pick<OwnAccount, "linkOf" | "choosePassword"> {
  function requireLink(token: string): Account {
    const link = links.find(token);
    if (link?.state !== "valid") throw new PublicError("not_found", "This link does not work any more.");
    const account = requireOwnPassword(accounts.require(link.accountSeq));
    if (account.disabledAt !== null)
      throw new PublicError("not_found", "The account of this link is disabled.");
    return account;
  }

  return {
    linkOf(token) {
      const link = links.find(token);
      const account = link && accounts.get(link.accountSeq);
      return link && account && { account, state: link.state };
    },

    async choosePassword(token, password, { by }) {
      const { name } = requireLink(token);
      requireGoodPassword(password, { name, field: "password" });
      const passwordHash = await hashes.hash(password);
      return database.write(() => {
        const account = requireLink(token);
        accounts.update(account.seq, { passwordHash });
        links.markUsed(links.find(token)!.seq);
        sessions.endAllOf(account.seq);
        auditLog.record({ ...by, name }, "account.choose_password", name);
        return account;
      });
    },
  };
}
