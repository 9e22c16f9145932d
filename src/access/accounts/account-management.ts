import { badRequest } from "../../platform/lib/errors.ts";
import type { Role } from "../../platform/vocabulary/permissions.ts";
import type { ByActor } from "../audit/actor.ts";
import type { NewLink } from "./account-links.ts";
import { requireAccountName } from "./account-names.ts";
import { firstAccountName, type Account } from "./accounts.ts";
import type { Needs } from "./needs.ts";
import { requireGoodPassword } from "./password-rules.ts";

/**
 * Administrators' changes of accounts. Every change is recorded in the audit log, in the same transaction, and takes
 * effect at the next request of the account. Routes of the console call the methods that return no promise within
 * `Context.write`.
 */
export type AccountManagement = ReturnType<typeof createAccountManagement>;

/** Dependencies of the changes of accounts. */
type AccountNeeds = Needs<"accounts" | "auditLog" | "clock" | "codes" | "database" | "hashes" | "links"> & {
  sessions: { endAllOf(accountSeq: number): number };
};

export function createAccountManagement({
  accounts,
  auditLog,
  clock,
  codes,
  database,
  hashes,
  links,
  sessions,
}: AccountNeeds) {
  /** Runs a change of an account in a transaction. */
  const change = <T>(seq: number, work: (account: Account) => T): T =>
    database.transaction(() => work(accounts.require(seq)) as never) as T;

  return {
    /**
     * Creates an account without a password, and a link to choose one with. The name is taken from now on.
     * @throws FieldError of `name`; PublicError `bad_request` for a name that is taken
     */
    invite: (
      { name: given, role, lifetimeMs }: { name: string; role: Role; lifetimeMs?: number | undefined },
      { by }: ByActor,
    ): NewLink & { account: Account } =>
      database.transaction(() => {
        const name = requireAccountName(given);
        const row = { name, role, createdAt: clock.now(), passwordHash: null, origin: "local" } as const;
        const account = accounts.insert(row);
        const link = links.create(account.seq, lifetimeMs);
        auditLog.record(by, "account.invite", name, { role });
        return { ...link, account };
      }),

    /** Creates an account with a password. @throws FieldError of `name` or `password`; PublicError `bad_request` */
    async add(
      { name: given, role, password }: { name: string; role: Role; password: string },
      { by }: ByActor,
    ): Promise<Account> {
      const name = requireAccountName(given);
      requireGoodPassword(password, { name, field: "password" });
      const passwordHash = await hashes.hash(password);
      return database.write(() => {
        const row = { name, role, createdAt: clock.now(), passwordHash, origin: "local" } as const;
        const account = accounts.insert(row);
        auditLog.record(by, "account.add", name, { role });
        return account;
      });
    },

    /** @throws PublicError `bad_request` for the last administrator, or if the proxy's groups determine the role */
    setRole: (seq: number, role: Role, { by }: ByActor) =>
      change(seq, ({ name, origin, role: before }) => {
        if (origin === "proxy")
          throw badRequest(`The proxy's groups determine the role of ${name}. Change its groups instead.`);
        if (role === before) return;
        if (before === "administrator") accounts.requireOtherAdministrator(seq);
        accounts.update(seq, { role });
        auditLog.record(by, "account.change_role", name, { before, after: role });
      }),

    /** Ends the account's sessions as well, and revokes its link. @throws PublicError `bad_request` for the last administrator */
    disable: (seq: number, { by }: ByActor) =>
      change(seq, ({ name, role, disabledAt }) => {
        if (disabledAt !== null) return;
        if (role === "administrator") accounts.requireOtherAdministrator(seq);
        accounts.update(seq, { disabledAt: clock.now() });
        links.revoke(seq);
        sessions.endAllOf(seq);
        auditLog.record(by, "account.disable", name);
      }),

    enable: (seq: number, { by }: ByActor) =>
      change(seq, ({ name, disabledAt }) => {
        if (disabledAt === null) return;
        accounts.update(seq, { disabledAt: null });
        auditLog.record(by, "account.enable", name);
      }),

    ...createResets({ accounts, auditLog, change, codes, database, hashes, links, sessions }),

    endSessions: (seq: number, { by }: ByActor) =>
      change(seq, ({ name }) => {
        const ended = sessions.endAllOf(seq);
        auditLog.record(by, "account.end_sessions", name, { sessions: ended });
      }),

    /** Returns the link of an account that works. */
    linkOf: links.ofAccount,

    /** Deletes an account that was invited and never had a password. @throws PublicError `bad_request` for any other */
    withdrawInvitation: (seq: number, { by }: ByActor) =>
      change(seq, ({ name, password, origin, lastSignInAt }) => {
        const wasInvited = origin === "local" && name !== firstAccountName;
        if (password !== null || !wasInvited || lastSignInAt !== null)
          throw badRequest(`The account ${name} is not an open invitation. Disable it instead.`);
        accounts.delete(seq);
        auditLog.record(by, "account.withdraw_invitation", name);
      }),
  };
}

/** Replaces passwords and codes that people have lost. */
function createResets({
  accounts,
  auditLog,
  change,
  codes,
  database,
  hashes,
  links,
  sessions,
}: Omit<AccountNeeds, "clock"> & {
  /** Runs a change of an account in a transaction. */
  change: <T>(seq: number, work: (account: Account) => T) => T;
}) {
  return {
    /**
     * Creates a link to choose a new password with. Until it is used, the present password works.
     * @throws PublicError `bad_request` if the account has no password of its own
     */
    reset: (seq: number, { lifetimeMs }: { lifetimeMs?: number | undefined }, { by }: ByActor): NewLink =>
      change(seq, (account) => {
        requireOwnPassword(account);
        if (account.disabledAt !== null)
          throw badRequest(`The account ${account.name} is disabled. Enable it first.`);
        const link = links.create(seq, lifetimeMs);
        auditLog.record(by, "account.reset", account.name);
        return link;
      }),

    /** Sets a password and ends all sessions of the account. @throws FieldError of `password`; PublicError `bad_request` */
    async setPassword(seq: number, password: string, { by }: ByActor) {
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

    /** Removes one-time codes and recovery codes, for a person who lost the phone. */
    removeCodes: (seq: number, { by }: ByActor) =>
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
