import type { Database } from "../../database/database.ts";
import type { Clock } from "../../lib/clock.ts";
import type { FillRandom } from "../../lib/ids.ts";
import type { Log } from "../../lib/log.ts";
import type { Actor } from "../audit/actor.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import { passwordCharactersMax, type ConsolePassword } from "./password.ts";
import { createConsoleSessions, type ConsoleSession, type ConsoleSessions } from "./sessions.ts";
import { createSignInThrottle } from "./sign-in-throttle.ts";

export type SignInResult =
  /** `token` is the value of the session cookie. */
  | { outcome: "signed_in"; token: string }
  | { outcome: "wrong_password" }
  | { outcome: "throttled"; retryAfterSeconds: number };

/** Signs people in to the web console and out of it. Every attempt is recorded in the audit log. */
export interface ConsoleSignIn {
  /** Returns whether there is a password to sign in with. */
  hasPassword(): boolean;
  /** Verifies the password, unless the client made too many attempts, and starts a session. */
  signIn(attempt: { password: string; userAgent: string }, options: { by: Actor }): Promise<SignInResult>;
  signOut(session: ConsoleSession, options: { by: Actor }): void;
  /** Ends all sessions. */
  signOutEverywhere(options: { by: Actor }): void;
  /** Ends all sessions when the password has changed since the previous call, even across restarts. */
  endSessionsOfOldPassword(): Promise<void>;
  readonly sessions: Pick<ConsoleSessions, "find" | "list">;
}

export function createConsoleSignIn({
  database,
  clock,
  fillRandom,
  log,
  auditLog,
  password,
}: {
  database: Database;
  clock: Clock;
  fillRandom: FillRandom;
  log: Log;
  auditLog: Pick<AuditLog, "record">;
  password: ConsolePassword;
}): ConsoleSignIn {
  const sessions = createConsoleSessions({ database, clock, fillRandom });
  const signedInFrom = () => sessions.list().map(({ address }) => address);
  const throttle = createSignInThrottle({ clock, signedInFrom });

  return {
    sessions,
    hasPassword: () => password.exists(),

    async signIn({ password: attempt, userAgent }, { by }) {
      const { address } = by;
      const retryAfterSeconds = throttle.take(address);
      if (retryAfterSeconds > 0) return { outcome: "throttled", retryAfterSeconds };
      if (attempt.length > passwordCharactersMax || !(await password.verify(attempt))) {
        auditLog.record(by, "console.sign_in_failed", null);
        log.warn({ client: address }, "console sign-in failed");
        return { outcome: "wrong_password" };
      }
      throttle.forgive(address);
      const { token } = database.transaction(() => {
        auditLog.record(by, "console.sign_in", null);
        return sessions.start({ address, userAgent });
      });
      return { outcome: "signed_in", token };
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
      if (await password.hasChanged()) sessions.endAll();
    },
  };
}
