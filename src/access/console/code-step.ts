import type { Account } from "../accounts/accounts.ts";
import type { Actor, ByActor } from "../audit/actor.ts";
import type { Needs } from "./needs.ts";
import type { PendingSignIn } from "./pending-sign-ins.ts";
import type { Browser, Busy, SignedIn, Steps } from "./sign-in-steps.ts";

interface CodeAttempt extends Browser {
  /** As `signIn` returned it. */
  pending: string;
  /** One-time code or recovery code. */
  code: string;
}

type CodeResult =
  | SignedIn
  | Busy
  /** `used_code`: correct, but used before. `too_many_codes`: the account has had too many wrong codes lately. */
  | { outcome: "wrong_code" | "used_code" | "too_many_codes" }
  /** The password has to be entered again. */
  | { outcome: "expired" };

/** Returns the second step of a sign-in, which verifies the code when it is the attempt's turn and starts a session. */
export function createCodeStep({
  auditLog,
  busy,
  codeAttempts,
  codes,
  database,
  devices,
  failed,
  pendingSignIns,
  signInLog,
  start,
  unchanged,
}: Steps & Needs<"codeAttempts" | "codes" | "database" | "pendingSignIns">) {
  /** Runs in a transaction, so that a code works once. */
  function verify(pending: PendingSignIn, code: string, browser: Browser, by: Actor): CodeResult {
    const { newSecret } = pending;
    const account = unchanged(pending);
    if (account === undefined || account.hasCodes !== (newSecret === undefined))
      return { outcome: "expired" };
    if (newSecret !== undefined) return enroll(account, newSecret, code, browser, by);
    const { seq, name } = account;
    const verdict = codes.accept(seq, code);
    if (verdict === "wrong") return { outcome: "wrong_code" };
    if (verdict === "used") return { outcome: "used_code" };
    if (verdict === "recovery_code") {
      const left = codes.recoveryCodesLeft(seq);
      auditLog.record({ ...by, name }, "account.use_recovery_code", name, { left });
    }
    return start(account, browser, by);
  }

  function enroll(account: Account, secret: string, code: string, browser: Browser, by: Actor): CodeResult {
    const { seq, name } = account;
    const recoveryCodes = codes.confirm(seq, secret, code);
    if (recoveryCodes === undefined) return { outcome: "wrong_code" };
    auditLog.record({ ...by, name }, "account.add_codes", name);
    return start(account, browser, by, recoveryCodes);
  }

  return async ({ pending: token, code, ...browser }: CodeAttempt, { by }: ByActor): Promise<CodeResult> => {
    const { address } = by;
    const { visit, deviceMark } = browser;
    const pending = pendingSignIns.find(token, visit);
    if (pending === undefined) return { outcome: "expired" };
    const { accountSeq } = pending;
    const origin = { address, visit, device: devices.recognize(deviceMark, accountSeq) };
    let result: CodeResult = { outcome: "expired" };
    const isCorrect = await codeAttempts.verify({ accountSeq, code, origin }, async () => {
      result = await database.write(() => verify(pending, code, browser, by));
      return result.outcome === "signed_in";
    });
    if (isCorrect === undefined) return busy(address);
    if (isCorrect === "limited") {
      signInLog.failed("not_verified", address);
      return { outcome: "too_many_codes" };
    }
    return finish(result, token, address);
  };

  async function finish(result: CodeResult, token: string, address: string | null): Promise<CodeResult> {
    if (result.outcome === "signed_in") {
      pendingSignIns.remove(token);
      signInLog.succeeded(result.account.name, address);
    } else if (result.outcome !== "expired") await failed("wrong_code", address);
    return result;
  }
}
