import type { AccountCodes } from "../accounts/account-codes.ts";
import type { AccountLinks } from "../accounts/account-links.ts";
import { firstAccountName, type Account, type Accounts } from "../accounts/accounts.ts";
import { newCodeSecret } from "../accounts/one-time-codes.ts";
import type { PasswordHashes } from "../accounts/password-hashes.ts";
import type { Actor } from "../audit/actor.ts";
import { createFailedSignIns, type FailedSignIns } from "../audit/failed-sign-ins.ts";
import type { Needs } from "../audit/needs.ts";
import type { Settings } from "../settings/settings.ts";
import { createAttemptQueue, createCodeAttempts, type AttemptQueue } from "./attempt-queue.ts";
import { createCodeStep, type CodeAttempt, type CodeResult } from "./code-step.ts";
import { createKnownDevices } from "./known-devices.ts";
import { createOwnAccount, type OwnAccount } from "./own-account.ts";
import type { ConsolePassword, VerifiedPassword } from "./password.ts";
import { createPendingSignIns, type PendingSignIns } from "./pending-sign-ins.ts";
import { createProxySignIn, type ProxySignIn } from "./proxy-sign-in.ts";
import type { ConsoleSession, ConsoleSessions } from "./sessions.ts";
import { createSignInLog } from "./sign-in-log.ts";
import { createSteps, type Browser, type Busy, type SignedIn, type Steps } from "./sign-in-steps.ts";

export interface SignInAttempt extends Browser {
  /** Name of the account; absent or empty: the administrator of the first start. */
  name?: string | undefined;
  password: string;
}

export type SignInResult =
  | SignedIn
  | Busy
  | { outcome: "wrong_password" }
  /** The password is correct; `pending` identifies the sign-in in the next step. */
  | { outcome: "code_needed"; pending: string };

/** Signs people in to the web console and out of it. */
export interface ConsoleSignIn {
  /** Returns whether there is a password to sign in with. */
  hasPassword(): boolean;
  /** Returns the name that the form starts with: that of the only account. */
  onlyName(): string | undefined;
  /** Verifies the password when it is the attempt's turn, and starts a session unless a code is needed. */
  signIn(attempt: SignInAttempt, options: { by: Actor }): Promise<SignInResult>;
  /** Returns the account of a sign-in that needs a code, and the secret if it has to enroll first. */
  pendingOf(pending: string, visit: string): { account: Account; newSecret: string | undefined } | undefined;
  /** Verifies the code when it is the attempt's turn, and starts a session. */
  signInWithCode(attempt: CodeAttempt, options: { by: Actor }): Promise<CodeResult>;
  signOut(session: ConsoleSession, options: { by: Actor }): void;
  /** Returns the account of a session; undefined if the account is disabled. */
  accountOf(session: ConsoleSession): Account | undefined;
  /** Ends all sessions of an account. */
  signOutEverywhere(account: Account, options: { by: Actor }): void;
  /** Ends the sessions of the configured password when it has changed since the previous call, even across restarts. */
  endSessionsOfOldPassword(): Promise<void>;
  readonly sessions: Pick<ConsoleSessions, "find" | "list">;
  readonly failedSignIns: Pick<FailedSignIns, "list" | "count" | "attemptsSince">;
  /** Sign-in of users whom a trusted proxy has authenticated. */
  readonly proxy: ProxySignIn;
  /** Changes that people make to their own accounts. */
  readonly ownAccount: OwnAccount;
}

export function createConsoleSignIn({
  accounts,
  auditLog,
  clock,
  codes,
  config,
  database,
  fillRandom,
  hashes,
  links,
  log,
  password,
  sessions,
  settings,
}: Needs<"auditLog" | "clock" | "database" | "fillRandom" | "log"> & {
  accounts: Accounts;
  codes: AccountCodes;
  /** The settings of the console, which can change. */
  config: { readonly requireCodes: boolean };
  hashes: PasswordHashes;
  links: AccountLinks;
  password: ConsolePassword;
  sessions: ConsoleSessions;
  settings: Settings;
}): ConsoleSignIn {
  const failedSignIns = createFailedSignIns({ database, clock });
  const queue = createAttemptQueue({ clock });
  const codeAttempts = createCodeAttempts({ clock, queue });
  const devices = createKnownDevices({ settings, clock, fillRandom });
  const pendingSignIns = createPendingSignIns({ clock, fillRandom });
  const signInLog = createSignInLog({ clock, log });
  const ownAccount = createOwnAccount({
    accounts,
    auditLog,
    codeAttempts,
    codes,
    database,
    hashes,
    links,
    password,
    queue,
    sessions,
  });

  const shared = createSteps({
    accounts,
    auditLog,
    clock,
    database,
    devices,
    failedSignIns,
    sessions,
    signInLog,
  });
  const { unchanged } = shared;

  return {
    sessions,
    failedSignIns,
    ownAccount,
    proxy: createProxySignIn({ ...shared, accounts, clock, database }),
    accountOf({ accountSeq }) {
      const account = accounts.get(accountSeq);
      return account?.disabledAt === null ? account : undefined;
    },
    hasPassword: () => password.exists(),
    onlyName() {
      const [first, second] = accounts.list();
      return second === undefined ? first?.name : undefined;
    },

    signIn: createPasswordStep({
      ...shared,
      accounts,
      config,
      database,
      fillRandom,
      hashes,
      password,
      pendingSignIns,
      queue,
    }),

    pendingOf(token, visit) {
      const pending = pendingSignIns.find(token, visit);
      const account = pending && unchanged(pending);
      return account && { account, newSecret: pending?.newSecret };
    },

    signInWithCode: createCodeStep({ ...shared, codeAttempts, codes, database, pendingSignIns }),

    ...createSignOut({ accounts, auditLog, database, password, sessions, settings }),
  };
}

/** Returns the first step of a sign-in, which verifies the password and starts a session unless a code is needed. */
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
  Needs<"database" | "fillRandom"> & {
    accounts: Accounts;
    config: { readonly requireCodes: boolean };
    hashes: PasswordHashes;
    password: ConsolePassword;
    pendingSignIns: PendingSignIns;
    queue: AttemptQueue;
  }): ConsoleSignIn["signIn"] {
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

  return async ({ name: given = "", password: attempt, ...browser }, { by }) => {
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
      // Codes may have been added meanwhile.
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
}: Needs<"auditLog" | "database"> & {
  accounts: Pick<Accounts, "byName">;
  password: Pick<ConsolePassword, "changedMark">;
  sessions: ConsoleSessions;
  settings: Settings;
}): Pick<ConsoleSignIn, "signOut" | "signOutEverywhere" | "endSessionsOfOldPassword"> {
  return {
    signOut: (session, { by }) =>
      database.transaction(() => {
        sessions.end(session);
        auditLog.record(by, "console.sign_out", null);
      }),

    signOutEverywhere: ({ seq }, { by }) =>
      database.transaction(() => {
        sessions.endAllOf(seq);
        auditLog.record(by, "console.sign_out_everywhere", null);
      }),

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
