import { and, count, eq } from "drizzle-orm";
import type { Needs } from "../../platform/database/needs.ts";
import type { Accounts } from "./accounts.ts";
import { newCodeSecret, readCode, stepOfCode } from "./one-time-codes.ts";
import { hashRecoveryCode, newRecoveryCodes, readRecoveryCode } from "./recovery-codes.ts";
import { accountRecoveryCodes } from "./tables.ts";

/** `used`: the code is correct, but it has been used, or a newer one has. */
type CodeVerdict = "code" | "recovery_code" | "wrong" | "used";

/** One-time codes and recovery codes of accounts. Changes belong to the caller's transaction. */
export type AccountCodes = ReturnType<typeof createAccountCodes>;

export function createAccountCodes({
  accounts,
  database,
  clock,
  fillRandom,
}: Needs<"clock" | "database" | "fillRandom"> & { accounts: Pick<Accounts, "credentialsOf" | "update"> }) {
  const { query } = database;
  const ofAccount = (seq: number) => eq(accountRecoveryCodes.accountSeq, seq);

  function useRecoveryCode(seq: number, code: string): boolean {
    const isIt = and(ofAccount(seq), eq(accountRecoveryCodes.hash, hashRecoveryCode(code)));
    return (
      query.delete(accountRecoveryCodes).where(isIt).returning({ seq: accountRecoveryCodes.seq }).all()
        .length > 0
    );
  }

  function renewRecoveryCodes(seq: number): string[] {
    const created = newRecoveryCodes(fillRandom);
    query.delete(accountRecoveryCodes).where(ofAccount(seq)).run();
    const rows = created.map((code) => ({
      accountSeq: seq,
      hash: hashRecoveryCode(code.replaceAll("-", "")),
    }));
    query.insert(accountRecoveryCodes).values(rows).run();
    return created;
  }

  return {
    /** Stores the secret of a new enrollment, which takes effect with `confirm`, and returns it. */
    begin(seq: number): string {
      const secret = newCodeSecret(fillRandom);
      accounts.update(seq, { newCodeSecret: secret });
      return secret;
    },
    /** Returns the secret of the enrollment that no code has confirmed yet. */
    pendingSecret: (seq: number): string | undefined =>
      accounts.credentialsOf(seq).newCodeSecret ?? undefined,
    /**
     * Enrolls with a secret, if the code fits, and returns new recovery codes, which cannot be retrieved later. Returns
     * undefined for a wrong code.
     */
    confirm(seq: number, secret: string, text: string): string[] | undefined {
      const code = readCode(text);
      const step = code === undefined ? undefined : stepOfCode(secret, code, clock.now());
      if (step === undefined) return undefined;
      accounts.update(seq, { codeSecret: secret, newCodeSecret: null, codeStep: step });
      return renewRecoveryCodes(seq);
    },
    /** Uses up a one-time code or a recovery code. */
    accept(seq: number, text: string): CodeVerdict {
      const { codeSecret, codeStep } = accounts.credentialsOf(seq);
      if (codeSecret === null) return "wrong";
      const recoveryCode = readRecoveryCode(text);
      if (recoveryCode !== undefined && useRecoveryCode(seq, recoveryCode)) return "recovery_code";
      const code = readCode(text);
      const step = code === undefined ? undefined : stepOfCode(codeSecret, code, clock.now());
      if (step === undefined) return "wrong";
      if (codeStep !== null && step <= codeStep) return "used";
      accounts.update(seq, { codeStep: step });
      return "code";
    },
    /** Removes the secret and the recovery codes. */
    remove(seq: number) {
      accounts.update(seq, { codeSecret: null, newCodeSecret: null, codeStep: null });
      query.delete(accountRecoveryCodes).where(ofAccount(seq)).run();
    },
    /** Replaces the recovery codes and returns the new ones, which cannot be retrieved later. */
    renewRecoveryCodes,
    recoveryCodesLeft: (seq: number): number =>
      query.select({ n: count() }).from(accountRecoveryCodes).where(ofAccount(seq)).get()!.n,
  };
}
