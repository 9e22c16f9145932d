/** `gave_up`: the attempt failed, and it was the last one of its delivery. */
type AttemptOutcome = "ok" | "failed" | "gave_up";

export interface AttemptTotal {
  /** Name of the recipient. */
  recipient: string;
  result: AttemptOutcome;
  total: number;
}

interface Ended {
  recipientSeq: number;
  result: { failure: string | null };
  gaveUp: boolean;
}

/** Counts attempts by recipient since the start of the process. */
export function createAttemptCounter() {
  // At most one entry for each recipient.
  const counts = new Map<number, Record<AttemptOutcome, number>>();

  function add({ recipientSeq, result, gaveUp }: Ended): void {
    let own = counts.get(recipientSeq);
    if (own === undefined) counts.set(recipientSeq, (own = { ok: 0, failed: 0, gave_up: 0 }));
    own[result.failure === null ? "ok" : gaveUp ? "gave_up" : "failed"] += 1;
  }

  return {
    /** Returns a function that counts attempts before it passes them on. */
    counting:
      <Attempt extends Ended>(next: (attempts: readonly Attempt[], recipientsChanged: boolean) => void) =>
      (attempts: readonly Attempt[], recipientsChanged: boolean): void => {
        attempts.forEach(add);
        next(attempts, recipientsChanged);
      },
    /** Recipients that were deleted are left out. */
    totals: (recipients: readonly { seq: number; name: string }[]): AttemptTotal[] =>
      recipients.flatMap(({ seq, name: recipient }) => {
        const { ok, failed, gave_up } = counts.get(seq) ?? { ok: 0, failed: 0, gave_up: 0 };
        return [
          { recipient, result: "ok" as const, total: ok },
          { recipient, result: "failed" as const, total: failed },
          { recipient, result: "gave_up" as const, total: gave_up },
        ];
      }),
  };
}
