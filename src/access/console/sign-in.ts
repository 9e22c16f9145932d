import { firstAccountName, type Account } from "../accounts/accounts.ts";
import { newCodeSecret } from "../accounts/one-time-codes.ts";
import type { ByActor } from "../audit/actor.ts";
import { createFailedSignIns } from "../audit/failed-sign-ins.ts";
import { createAttemptQueue, createCodeAttempts } from "./attempt-queue.ts";
import { createCodeStep } from "./code-step.ts";
import { createKnownDevices } from "./known-devices.ts";
import type { Needs } from "./needs.ts";
import { createOwnAccount } from "./own-account.ts";
import type { VerifiedPassword } from "./password.ts";
import { createPendingSignIns } from "./pending-sign-ins.ts";
import { createProxySignIn } from "./proxy-sign-in.ts";
import type { ConsoleSession } from "./sessions.ts";
import { createSignInLog } from "./sign-in-log.ts";
import { createSteps, type Browser, type Busy, type SignedIn, type Steps } from "./sign-in-steps.ts";

interface SignInAttempt extends Browser {
  /** Name of the account; absent or empty: the administrator of the first start. */
  name?: string | undefined;
  password: string;
}

type SignInResult =
  | SignedIn
  | Busy
  | { outcome: "wrong_password" }
  /** The password is correct; `pending` identifies the sign-in in the next step. */
  | { outcome: "code_needed"; pending: string };

/** Signs people in to the web console and out of it. */
export type ConsoleSignIn = ReturnType<typeof createConsoleSignIn>;

type PartsOfOthers = "accounts" | "auditLog" | "codes" | "hashes" | "links" | "password" | "sessions";

export function createConsoleSignIn(
  given: Needs<PartsOfOthers | "clock" | "config" | "database" | "fillRandom" | "log" | "settings">,
) {
  const { accounts, clock, password, sessions } = given;
  const failedSignIns = createFailedSignIns(given);
  const pendingSignIns = createPendingSignIns(given);
  const queue = createAttemptQueue(given);
  const parts = {
    ...given,
    codeAttempts: createCodeAttempts({ clock, queue }),
    devices: createKnownDevices(given),
    failedSignIns,
    pendingSignIns,
    queue,
    signInLog: createSignInLog(given),
  };
  const steps = { ...parts, ...createSteps(parts) };

  return {
    sessions,
    failedSignIns,
    /** Changes that people make to their own accounts. */
    ownAccount: createOwnAccount(parts),
    /** Sign-in of users whom a trusted proxy has authenticated. */
    proxy: createProxySignIn(steps),
    /** Returns the account of a session; undefined if the account is disabled. */
    accountOf({ accountSeq }: ConsoleSession) {
      const account = accounts.get(accountSeq);
      return account?.disabledAt === null ? account : undefined;
    },
    /** Returns whether there is a password to sign in with. */
    hasPassword: () => password.exists(),
    /** Returns the name that the form starts with: the name of the only account. */
    onlyName() {
      const [first, second] = accounts.list();
      return second === undefined ? first?.name : undefined;
    },

    signIn: createPasswordStep(steps),
    /** Returns the account of a sign-in that needs a code, and the secret if it has to enroll first. */
    pendingOf(token: string, visit: string) {
      const pending = pendingSignIns.find(token, visit);
      const account = pending && steps.unchanged(pending);
      return account && { account, newSecret: pending?.newSecret };
    },
    signInWithCode: createCodeStep(steps),
    ...createSignOut(given),
  };
}

/** Returns the first step, which verifies the password in its turn, and starts a session unless a code is needed. */
function createPasswordStep({
  accounts,
  busy,
  config,
  database,
  devices,
  failed,
  fillRandom,
  hashes,
  password,
  pendingSignIns,
  queue,
  signInLog,
  start,
  unchanged,
}: Steps &
  Needs<
    "accounts" | "config" | "database" | "fillRandom" | "hashes" | "password" | "pendingSignIns" | "queue"
  >) {
  /** Replaces a hash that was made with other parameters than those in use. Returns the hash that is stored now. */
  async function renewHash({ account, hash }: VerifiedPassword, attempt: string): Promise<string | null> {
    if (hash === null || !hashes.isOutdated(hash)) return hash;
    const renewed = await hashes.hash(attempt);
    return database.write(() => {
      if (unchanged({ accountSeq: account.seq, hash }) === undefined) return hash;
      accounts.update(account.seq, { passwordHash: renewed });
      return renewed;
    });
  }

  return async (
    { name: given = "", password: attempt, ...browser }: SignInAttempt,
    { by }: ByActor,
  ): Promise<SignInResult> => {
    const { address } = by;
    const { visit, deviceMark } = browser;
    const name = given === "" ? firstAccountName : given;
    const device = devices.recognize(deviceMark, accounts.byName(name)?.seq ?? 0);
    let verified: VerifiedPassword | undefined;
    const isCorrect = await queue.verify({ address, visit, device }, async () => {
      verified = await password.verify(name, attempt);
      return verified !== undefined;
    });
    if (isCorrect === undefined) return busy(address);
    if (verified === undefined) {
      await failed("wrong_password", address);
      return { outcome: "wrong_password" };
    }
    const { seq: accountSeq, hasCodes } = verified.account;
    const hash = await renewHash(verified, attempt);
    if (hasCodes || config.requireCodes) {
      const newSecret = hasCodes ? undefined : newCodeSecret(fillRandom);
      return { outcome: "code_needed", pending: pendingSignIns.add({ accountSeq, hash, newSecret }, visit) };
    }
    const result = await database.write(() => {
      const same = unchanged({ accountSeq, hash });
      // Codes may have been added in the meantime.
      return same === undefined || same.hasCodes ? undefined : start(same, browser, by);
    });
    if (result === undefined) return { outcome: "wrong_password" };
    signInLog.succeeded(result.account.name, address);
    return result;
  };
}

/** Ends sessions. */
function createSignOut({
  accounts,
  auditLog,
  database,
  password,
  sessions,
  settings,
}: Needs<"accounts" | "auditLog" | "database" | "password" | "sessions" | "settings">) {
  return {
    signOut: (session: ConsoleSession, { by }: ByActor) =>
      database.transaction(() => {
        sessions.end(session);
        auditLog.record(by, "console.sign_out", null);
      }),

    /** Ends all sessions of an account. */
    signOutEverywhere: ({ seq }: Account, { by }: ByActor) =>
      database.transaction(() => {
        sessions.endAllOf(seq);
        auditLog.record(by, "console.sign_out_everywhere", null);
      }),

    /** Ends the sessions of the configured password when it has changed since the previous call, even across restarts. */
    async endSessionsOfOldPassword() {
      const mark = await password.changedMark();
      if (mark === undefined) return;
      await database.write(() => {
        settings.set("console_password_mark", mark);
        sessions.endAllOf(accounts.byName(firstAccountName)!.seq);
      });
    },
  };
}
