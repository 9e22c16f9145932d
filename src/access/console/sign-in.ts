import type { Database } from "../../database/database.ts";
import type { Clock } from "../../lib/clock.ts";
import type { FillRandom } from "../../lib/ids.ts";
import type { Log } from "../../lib/log.ts";
import type { Actor } from "../audit/actor.ts";
import { firstAccountName, type Account, type Accounts } from "../accounts/accounts.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import { createFailedSignIns, type FailedSignIns } from "../audit/failed-sign-ins.ts";
import type { Settings } from "../settings/settings.ts";
import { createAttemptQueue, retryAfterSeconds } from "./attempt-queue.ts";
import { createKnownDevices } from "./known-devices.ts";
import { passwordCharactersMax, type ConsolePassword } from "./password.ts";
import { createConsoleSessions, type ConsoleSession, type ConsoleSessions } from "./sessions.ts";
import { createSignInLog } from "./sign-in-log.ts";

export interface SignInAttempt {
  password: string;
  userAgent: string;
  /** Identifies the browser while it is not signed in. */
  visit: string;
  /** Mark of a browser that has signed in before, as `signIn` returned it; undefined if there is none. */
  deviceMark: string | undefined;
}

export type SignInResult =
  /** `token` is the value of the session cookie. `deviceMark` identifies the browser at its next sign-in. */
  | { outcome: "signed_in"; token: string; deviceMark: string }
  | { outcome: "wrong_password" }
  /** Too many others tried at the same time, so that the password was not verified. */
  | { outcome: "busy"; retryAfterSeconds: number };

/** Signs people in to the web console and out of it. */
export interface ConsoleSignIn {
  /** Returns whether there is a password to sign in with. */
  hasPassword(): boolean;
  /** Verifies the password when it is the attempt's turn, and starts a session. */
  signIn(attempt: SignInAttempt, options: { by: Actor }): Promise<SignInResult>;
  signOut(session: ConsoleSession, options: { by: Actor }): void;
  /** Returns the account of a session. */
  accountOf(session: ConsoleSession): Account;
  /** Ends all sessions. */
  signOutEverywhere(options: { by: Actor }): void;
  /** Ends all sessions when the password has changed since the previous call, even across restarts. */
  endSessionsOfOldPassword(): Promise<void>;
  readonly sessions: Pick<ConsoleSessions, "find" | "list">;
  readonly failedSignIns: Pick<FailedSignIns, "list" | "count" | "attemptsSince">;
}

export function createConsoleSignIn({
  database,
  clock,
  fillRandom,
  log,
  settings,
  accounts,
  auditLog,
  password,
}: {
  database: Database;
  clock: Clock;
  fillRandom: FillRandom;
  log: Log;
  settings: Settings;
  accounts: Accounts;
  auditLog: Pick<AuditLog, "record">;
  password: ConsolePassword;
}): ConsoleSignIn {
  const sessions = createConsoleSessions({ database, clock, fillRandom, log });
  const failedSignIns = createFailedSignIns({ database, clock });
  const queue = createAttemptQueue({ clock });
  const devices = createKnownDevices({ settings, clock, fillRandom });
  const signInLog = createSignInLog({ clock, log });
  const verify = async (attempt: string) =>
    attempt.length <= passwordCharactersMax && (await password.verify(attempt));

  return {
    sessions,
    failedSignIns,
    accountOf: ({ accountSeq }) => accounts.get(accountSeq)!,
    hasPassword: () => password.exists(),

    async signIn({ password: attempt, userAgent, visit, deviceMark }, { by }) {
      const { address } = by;
      const account = accounts.byName(firstAccountName)!;
      const device = devices.recognize(deviceMark);
      const isCorrect = await queue.verify({ address, visit, device }, () => verify(attempt));
      if (isCorrect === undefined) {
        signInLog.failed("not_verified", address);
        return { outcome: "busy", retryAfterSeconds };
      }
      if (!isCorrect) {
        await database.write(() => failedSignIns.record(address));
        signInLog.failed("wrong_password", address);
        return { outcome: "wrong_password" };
      }
      const started = await database.write(() => {
        auditLog.record({ ...by, name: account.name }, "console.sign_in", null);
        return {
          ...sessions.start({ accountSeq: account.seq, address, userAgent }),
          deviceMark: devices.issue(device),
        };
      });
      signInLog.succeeded(account.name, address);
      return { outcome: "signed_in", token: started.token, deviceMark: started.deviceMark };
    },

    signOut: (session, { by }) =>
      database.transaction(() => {
        sessions.end(session);
        auditLog.record(by, "console.sign_out", null);
      }),

    signOutEverywhere: ({ by }) =>
      database.transaction(() => {
        sessions.endAll();
        auditLog.record(by, "console.sign_out_everywhere", null);
      }),

    async endSessionsOfOldPassword() {
      const mark = await password.changedMark();
      if (mark === undefined) return;
      await database.write(() => {
        settings.set("console_password_mark", mark);
        sessions.endAll();
      });
    },
  };
}
