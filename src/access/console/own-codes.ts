import { badRequest, FieldError, PublicError } from "../../platform/lib/errors.ts";
import type { Account } from "../accounts/accounts.ts";
import { codeUri, readableSecret, readCode } from "../accounts/one-time-codes.ts";
import { readRecoveryCode } from "../accounts/recovery-codes.ts";
import type { Actor, ByActor } from "../audit/actor.ts";
import { retryAfterSeconds, type AttemptOrigin } from "./attempt-queue.ts";
import type { Needs } from "./needs.ts";
import type { ConsoleSession } from "./sessions.ts";

/** The account that makes a change to itself, and its session. */
export interface Self {
  account: Account;
  session: Pick<ConsoleSession, "seq">;
}

/** A secret that an authenticator has to learn, as text and as the URI in a QR code. */
interface CodeSetup {
  /** In groups of four characters. */
  secret: string;
  uri: string;
}

/** How attempts of the account are verified. */
interface Verification {
  originOf: (self: Self, by: Actor) => AttemptOrigin;
  /** Throws a FieldError of the field unless this is the account's password. */
  requirePassword: (self: Self, attempt: string, field: string, by: Actor) => Promise<void>;
}

const issuer = "phishwatch";

/** One-time codes of the account that changes them. */
export function createOwnCodes({
  accounts,
  auditLog,
  codeAttempts,
  codes,
  database,
  originOf,
  requirePassword,
}: Needs<"accounts" | "auditLog" | "codeAttempts" | "codes" | "database"> & Verification) {
  const withProof = createProof({ accounts, codeAttempts, codes, database, originOf, requirePassword });

  function setupOf({ account }: Self, secret: string): CodeSetup {
    return { secret: readableSecret(secret), uri: codeUri(secret, { name: account.name, issuer }) };
  }

  return {
    /**
     * Starts to enroll for one-time codes, which takes effect with `confirmCodes`. A second call replaces the secret.
     * @throws PublicError `bad_request` if the account has codes, or if the proxy signs it in
     */
    async beginCodes(self: Self) {
      const { seq, hasCodes, origin } = accounts.require(self.account.seq);
      if (origin === "proxy") throw badRequest("The proxy signs you in, so phishwatch asks for no code.");
      if (hasCodes)
        throw badRequest("This account has one-time codes. Remove them before you set up new ones.");
      return setupOf(self, await database.write(() => codes.begin(seq)));
    },

    /** Returns the setup that `beginCodes` started and that is not confirmed yet. */
    pendingCodes(self: Self) {
      const secret = codes.pendingSecret(self.account.seq);
      return secret === undefined ? undefined : setupOf(self, secret);
    },

    /** Enrolls, and returns recovery codes to show once. @throws FieldError of `code` */
    async confirmCodes(self: Self, code: string, { by }: ByActor) {
      const { seq, name } = self.account;
      const created = await database.write(() => {
        const secret = codes.pendingSecret(seq);
        if (secret === undefined) throw badRequest("The setup of one-time codes has ended. Start it again.");
        const recoveryCodes = codes.confirm(seq, secret, code);
        if (recoveryCodes !== undefined) auditLog.record(by, "account.add_codes", name);
        return recoveryCodes;
      });
      if (created !== undefined) return created;
      throw new FieldError(
        "code",
        "The code is incorrect. Enter the one that the authenticator shows now, and check the time of the phone.",
      );
    },

    /** @param proof the password, a one-time code or a recovery code @throws FieldError of `proof` */
    removeCodes: (self: Self, proof: string, { by }: ByActor) =>
      withProof(self, proof, by, () => {
        codes.remove(self.account.seq);
        auditLog.record(by, "account.remove_codes", self.account.name);
      }),

    /**
     * Replaces the recovery codes, and returns the new ones to show once.
     * @param proof the password, a one-time code or a recovery code @throws FieldError of `proof`
     */
    renewRecoveryCodes: (self: Self, proof: string, { by }: ByActor) =>
      withProof(self, proof, by, () => {
        auditLog.record(by, "account.renew_recovery_codes", self.account.name);
        return codes.renewRecoveryCodes(self.account.seq);
      }),

    recoveryCodesLeft: ({ account }: Self) => codes.recoveryCodesLeft(account.seq),
  };
}

/** Returns a function that runs a change after a proof that the account's owner makes it. */
function createProof({
  accounts,
  codeAttempts,
  codes,
  database,
  originOf,
  requirePassword,
}: Needs<"accounts" | "codeAttempts" | "codes" | "database"> & Verification) {
  /**
   * Verifies a code and runs the change in the same transaction. Returns undefined if the code is wrong and could be a
   * password.
   */
  async function withCode<T>(
    self: Self,
    code: string,
    by: Actor,
    change: () => T,
  ): Promise<{ value: T } | undefined> {
    const accountSeq = self.account.seq;
    let verdict: string | undefined;
    let result: { value: T } | undefined;
    const isCorrect = await codeAttempts.verify({ accountSeq, code, origin: originOf(self, by) }, () =>
      database.write(() => {
        verdict = codes.accept(accountSeq, code);
        if (verdict === "wrong" || verdict === "used") return false;
        result = { value: change() };
        return true;
      }),
    );
    if (isCorrect === undefined) throw tooManyAttempts();
    if (result !== undefined) return result;
    if (verdict === "wrong" && readRecoveryCode(code) !== undefined) return undefined;
    const reason =
      isCorrect === "limited"
        ? "Too many wrong codes were entered. Use the password or a recovery code, or try again in 5 minutes."
        : verdict === "used"
          ? "This code has been used. Wait for the next one."
          : "The password or code is incorrect. No changes were made.";
    throw new FieldError("proof", reason);
  }

  /** Runs a change in a transaction after a proof that this is the account's owner. */
  return async function withProof<T>(self: Self, proof: string, by: Actor, change: () => T): Promise<T> {
    if (!accounts.require(self.account.seq).hasCodes)
      throw badRequest("This account has no one-time codes. Reload the page.");
    const isCode = readCode(proof) !== undefined || readRecoveryCode(proof) !== undefined;
    const done = isCode ? await withCode(self, proof, by, change) : undefined;
    if (done !== undefined) return done.value;
    await requirePassword(self, proof, "proof", by);
    return database.write(() => change() as never);
  };
}

export function tooManyAttempts(): PublicError {
  return new PublicError(
    "rate_limit_exceeded",
    `Many others are trying to sign in, so nothing was checked. Try again in ${retryAfterSeconds} seconds.`,
    undefined,
    retryAfterSeconds,
  );
}
