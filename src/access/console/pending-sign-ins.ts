import { randomText } from "../../platform/lib/ids.ts";
import type { Needs } from "../../platform/lib/needs.ts";

/** A sign-in between the password and the code. There is no session yet. */
export interface PendingSignIn {
  accountSeq: number;
  /** Hash that the password matched; null: the configuration file sets the password. */
  hash: string | null;
  /** Secret of a new enrollment; undefined if the account is enrolled. */
  newSecret: string | undefined;
}

/**
 * Sign-ins between the password and the code, in memory: after a restart, the password is entered again. A token is of use
 * only in the browser that entered the password.
 */
export type PendingSignIns = ReturnType<typeof createPendingSignIns>;

const lifetimeMs = 600_000;
/** Maximum number of one account. Only who knows its password can add one. */
const perAccountMax = 20;
const tokenBytes = 16;

export function createPendingSignIns({ clock, fillRandom }: Needs<"clock" | "fillRandom">) {
  const entries = new Map<string, { pending: PendingSignIn; visit: string; untilMs: number }>();

  function makeRoom(accountSeq: number): void {
    const nowMs = clock.monotonicMs();
    for (const [token, { untilMs }] of entries) if (untilMs <= nowMs) entries.delete(token);
    const own = [...entries].filter(([, { pending }]) => pending.accountSeq === accountSeq);
    for (const [token] of own.slice(0, Math.max(0, own.length - perAccountMax + 1))) entries.delete(token);
  }

  return {
    /** @param visit identifies the browser */
    add(pending: PendingSignIn, visit: string) {
      makeRoom(pending.accountSeq);
      const token = randomText(fillRandom, tokenBytes);
      entries.set(token, { pending, visit, untilMs: clock.monotonicMs() + lifetimeMs });
      return token;
    },

    /** Returns undefined for an unknown or expired token, or for another browser. */
    find(token: string, visit: string) {
      const entry = entries.get(token);
      if (entry === undefined || entry.visit !== visit || entry.untilMs <= clock.monotonicMs())
        return undefined;
      return entry.pending;
    },
    remove: (token: string) => void entries.delete(token),
  };
}
