import type { Clock, Instant } from "../../lib/clock.ts";

/** Keeps to what registries bear: a distance between questions to one server, and silence after it complained. */
export interface ServerPacing {
  /** Resolves when it is this question's turn, or at once with the wait when that would take too long. */
  turn(server: string): Promise<{ granted: true } | { granted: false; retryAfterMs: number }>;
  /**
   * The server said that it is asked too much.
   * @param retryAfterMs what it asked for, if it did
   * @returns how long it is left alone
   */
  complained(server: string, retryAfterMs?: number): number;
  /** The server answered as it should. */
  answered(server: string): void;
}

const backOffFirstMs = 60_000;
const backOffMsMax = 6 * 3_600_000;
const retryAfterMsMax = 24 * 3_600_000;
const serversMax = 2_000;

interface State {
  nextAt: Instant;
  silentUntil: Instant;
  complaints: number;
}

/** @param waitMsMax a question that would wait longer in the queue is sent back to come again later */
export function createServerPacing({
  clock,
  intervalMs,
  waitMsMax,
}: {
  clock: Clock;
  intervalMs: number;
  waitMsMax: number;
}): ServerPacing {
  // The least recently asked one stands first.
  const states = new Map<string, State>();

  function stateOf(server: string): State {
    const state = states.get(server) ?? { nextAt: 0, silentUntil: 0, complaints: 0 };
    states.delete(server);
    states.set(server, state);
    if (states.size > serversMax) states.delete(states.keys().next().value!);
    return state;
  }

  return {
    async turn(server) {
      const state = stateOf(server);
      const now = clock.now();
      if (state.silentUntil > now) return { granted: false, retryAfterMs: state.silentUntil - now };
      const at = Math.max(now, state.nextAt);
      if (at - now > waitMsMax) return { granted: false, retryAfterMs: at - now };
      state.nextAt = at + intervalMs;
      if (at > now) await new Promise<void>((resolve) => void clock.after(at - now, resolve));
      // It may have complained about the question before this one.
      const silentMs = state.silentUntil - clock.now();
      return silentMs > 0 ? { granted: false, retryAfterMs: silentMs } : { granted: true };
    },
    complained(server, retryAfterMs) {
      const state = stateOf(server);
      const doubled = Math.min(backOffFirstMs * 2 ** Math.min(state.complaints, 20), backOffMsMax);
      const silentMs = Math.min(Math.max(retryAfterMs ?? 0, doubled), retryAfterMsMax);
      state.complaints += 1;
      state.silentUntil = clock.now() + silentMs;
      return silentMs;
    },
    answered(server) {
      stateOf(server).complaints = 0;
    },
  };
}
