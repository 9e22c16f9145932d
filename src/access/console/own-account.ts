import type { LinkState } from "../accounts/account-links.ts";
import { requireOwnPassword } from "../accounts/account-management.ts";
import type { Account } from "../accounts/accounts.ts";
import { requireGoodPassword } from "../accounts/password-rules.ts";
import type { Actor, ByActor } from "../audit/actor.ts";
import { FieldError, PublicError } from "../../platform/lib/errors.ts";
import type { Needs } from "./needs.ts";
import { createOwnCodes, tooManyAttempts, type Self } from "./own-codes.ts";
import type { ConsoleSession } from "./sessions.ts";

type OwnAccountNeeds = "accounts" | "auditLog" | "database" | "hashes" | "links" | "sessions";

/** Changes that people make to their own accounts. All are recorded in the audit log. */
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
}: Needs<OwnAccountNeeds | "codeAttempts" | "codes" | "password" | "queue">) {
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
    /**
     * Changes the password, and ends all sessions of the account except this one.
     * @throws FieldError of `current` for a wrong password, of `password` for one that is not allowed
     */
    async changePassword(
      { account, session }: Self,
      { current, password }: { current: string; password: string },
      { by }: ByActor,
    ) {
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
    /** Returns the active sessions of the account, most recently seen first. */
    sessions: ({ account }: Self): ConsoleSession[] => sessions.list(account.seq),

    /** Ends one of the account's sessions. Returns false if it has ended, or belongs to another account. */
    endSession: ({ account }: Self, seq: number, { by }: ByActor) =>
      database.transaction(() => {
        const own = sessions.list(account.seq).find((session) => session.seq === seq);
        if (own === undefined) return false;
        sessions.end(own);
        auditLog.record(by, "console.sign_out", null);
        return true;
      }),

    /** Ends all sessions of the account except this one, and returns how many. */
    endOtherSessions: ({ account, session }: Self, { by }: ByActor) =>
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
}: Needs<OwnAccountNeeds>) {
  function requireLink(token: string): Account {
    const link = links.find(token);
    if (link?.state !== "valid") throw new PublicError("not_found", "This link does not work any more.");
    const account = requireOwnPassword(accounts.require(link.accountSeq));
    if (account.disabledAt !== null)
      throw new PublicError("not_found", "The account of this link is disabled.");
    return account;
  }

  return {
    /** Returns the account that a link is for, and whether the link works; undefined if there is no such link. */
    linkOf(token: string): { account: Account; state: LinkState } | undefined {
      const link = links.find(token);
      const account = link && accounts.get(link.accountSeq);
      return link && account && { account, state: link.state };
    },

    /**
     * Chooses a password with a link, which works once, and ends all sessions of the account.
     * @throws FieldError of `password`; PublicError `not_found` if the link does not work (any more)
     */
    async choosePassword(token: string, password: string, { by }: ByActor): Promise<Account> {
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
