import type { Account } from "../accounts/accounts.ts";
import type { Actor } from "../audit/actor.ts";
import { retryAfterSeconds } from "./attempt-queue.ts";
import type { Needs } from "./needs.ts";
import type { PendingSignIn } from "./pending-sign-ins.ts";

export interface Browser {
  userAgent: string;
  /** Identifies the browser while it is not signed in. */
  visit: string;
  /** Mark of a browser that has signed in before, as `signIn` returned it; undefined if there is none. */
  deviceMark: string | undefined;
}

export interface SignedIn {
  outcome: "signed_in";
  account: Account;
  /** Value of the session cookie. */
  token: string;
  /** Identifies the browser at its next sign-in. */
  deviceMark: string;
  /** Created with the enrollment in this sign-in. They cannot be retrieved later. */
  recoveryCodes: string[] | undefined;
}

/** Too many others tried at the same time, so that nothing was verified. */
export interface Busy {
  outcome: "busy";
  retryAfterSeconds: number;
}

/** Parts that the steps of a sign-in share. */
export type Steps = ReturnType<typeof createSteps>;

export function createSteps({
  accounts,
  auditLog,
  clock,
  database,
  devices,
  failedSignIns,
  sessions,
  signInLog,
}: Needs<
  "accounts" | "auditLog" | "clock" | "database" | "devices" | "failedSignIns" | "sessions" | "signInLog"
>) {
  function busy(address: string | null): Busy {
    signInLog.failed("not_verified", address);
    return { outcome: "busy", retryAfterSeconds };
  }

  async function failed(outcome: "wrong_password" | "wrong_code", address: string | null): Promise<void> {
    // Without the name: people type their password in its place.
    await database.write(() => failedSignIns.record(address));
    signInLog.failed(outcome, address);
  }

  /** Returns the account if it still is as it was when the password was verified. */
  function unchanged({ accountSeq, hash }: Pick<PendingSignIn, "accountSeq" | "hash">): Account | undefined {
    const account = accounts.get(accountSeq);
    if (account === undefined || account.disabledAt !== null) return undefined;
    const isSame =
      account.password === "configuration"
        ? hash === null
        : accounts.credentialsOf(accountSeq).passwordHash === hash;
    return isSame ? account : undefined;
  }

  /** Starts a session, in the caller's transaction. */
  function start(account: Account, browser: Browser, by: Actor, recoveryCodes?: string[]): SignedIn {
    const { seq: accountSeq, name } = account;
    const { address } = by;
    auditLog.record({ ...by, name }, "console.sign_in", null);
    accounts.update(accountSeq, { lastSignInAt: clock.now() });
    const { token } = sessions.start({ accountSeq, address, userAgent: browser.userAgent });
    const device = devices.recognize(browser.deviceMark, accountSeq);
    return {
      outcome: "signed_in",
      account,
      token,
      deviceMark: devices.issue(device, accountSeq),
      recoveryCodes,
    };
  }

  return { auditLog, busy, devices, failed, signInLog, start, unchanged };
}
