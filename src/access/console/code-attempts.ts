import { createCodeLimits } from "../accounts/code-limits.ts";
import { readRecoveryCode } from "../accounts/recovery-codes.ts";
import type { Clock } from "../../lib/clock.ts";
import type { AttemptOrigin, AttemptQueue } from "./attempt-queue.ts";

/** Verifies codes in the turns of the queue that verifies passwords, and limits the wrong ones of each account. */
export interface CodeAttempts {
  /**
   * Calls `verify` when it is the attempt's turn. Returns undefined if its turn did not come in time, and `limited` if the
   * account has had too many wrong codes from browsers like this one.
   */
  verify(
    attempt: { accountSeq: number; code: string; origin: AttemptOrigin },
    verify: () => Promise<boolean>,
  ): Promise<boolean | "limited" | undefined>;
}

export function createCodeAttempts({
  clock,
  queue,
}: {
  clock: Pick<Clock, "monotonicMs">;
  queue: AttemptQueue;
}): CodeAttempts {
  const limits = createCodeLimits({ clock });
  return {
    async verify({ accountSeq, code, origin }, verify) {
      const isLimited = readRecoveryCode(code) === undefined;
      const key = `${accountSeq} ${origin.device ?? ""}`;
      if (isLimited && !limits.take(key)) return "limited";
      const isCorrect = await queue.verify(origin, verify);
      if (isLimited && isCorrect !== false) limits.giveBack(key);
      return isCorrect;
    },
  };
}
