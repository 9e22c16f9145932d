import { BoundedMap } from "../../../platform/lib/bounded-map.ts";
import type { Needs } from "../../../platform/lib/needs.ts";

/** Why a lookup has no result. */
export interface LookupFailure {
  ok: false;
  reason: string;
  /** Set if a server is overloaded: nothing is known about the subject, and the lookup may be repeated after this time. */
  retryAfterMs?: number;
  /** No server was queried, because too many queries wait for it or it demanded a pause. */
  postponed?: boolean;
  /** Set only if the registry says that the name is not registered. */
  unregistered?: boolean;
}

/** Result of contacting a server once. */
export type Contact<T> =
  /** `isFinal`: the query is done, so the server is not overloaded; false for a redirect. */
  | { kind: "response"; response: T; isFinal: boolean }
  /** The server asks for fewer queries; `retryAfterMs` is the pause that it demands. */
  | { kind: "overloaded"; reason: string; retryAfterMs: number | undefined }
  /** There is no usable response, which says nothing about the server's load. */
  | { kind: "failed"; reason: string };

/** Limits queries to what registries tolerate: an interval between queries to one server, and a pause if it objects. */
export type ServerPacing = ReturnType<typeof createServerPacing>;

const pauseFirstMs = 60_000;
const pauseMsMax = 6 * 3_600_000;
const demandedPauseMsMax = 24 * 3_600_000;
const serversMax = 2_000;
/** Keeps the power of two finite. */
const doublingsMax = 20;

/** Times are in monotonic milliseconds. */
interface ServerState {
  nextAtMs: number;
  pausedUntilMs: number;
  objections: number;
}

/** @param waitMsMax a query that would wait longer for its turn is postponed. */
export function createServerPacing(dependencies: Needs<"clock"> & { intervalMs: number; waitMsMax: number }) {
  const { clock, intervalMs, waitMsMax } = dependencies;
  /** Those that were used the longest ago are forgotten. */
  const states = new BoundedMap<string, ServerState>(serversMax);

  function stateOf(server: string): ServerState {
    const state = states.get(server) ?? { nextAtMs: 0, pausedUntilMs: 0, objections: 0 };
    states.set(server, state);
    return state;
  }

  /** Waits for the turn. Returns how long the query has to be postponed, 0 for not at all. */
  async function waitForTurn(server: string): Promise<number> {
    const state = stateOf(server);
    const nowMs = clock.monotonicMs();
    if (state.pausedUntilMs > nowMs) return state.pausedUntilMs - nowMs;
    const atMs = Math.max(nowMs, state.nextAtMs);
    const waitMs = atMs - nowMs;
    if (waitMs > waitMsMax) return waitMs;
    state.nextAtMs = atMs + intervalMs;
    if (waitMs > 0) await new Promise<void>((resolve) => void clock.after(waitMs, resolve));
    // The server may have objected to the query before this one.
    return Math.max(0, state.pausedUntilMs - clock.monotonicMs());
  }

  function pause(server: string, demandedMs: number | undefined): number {
    const state = stateOf(server);
    const doubledMs = Math.min(pauseFirstMs * 2 ** Math.min(state.objections, doublingsMax), pauseMsMax);
    const pauseMs = Math.min(Math.max(demandedMs ?? 0, doubledMs), demandedPauseMsMax);
    state.objections += 1;
    state.pausedUntilMs = clock.monotonicMs() + pauseMs;
    return pauseMs;
  }

  return {
    /**
     * Contacts a server when it is this query's turn. Postpones the query if its turn is too far away or the server
     * demanded a pause. Each objection in a row doubles the pause.
     */
    async query<T>(
      server: string,
      contact: () => Promise<Contact<T>>,
    ): Promise<{ ok: true; response: T } | LookupFailure> {
      const postponedMs = await waitForTurn(server);
      if (postponedMs > 0) {
        const reason = `${server}: query postponed to stay within its rate limit`;
        return { ok: false, reason, retryAfterMs: postponedMs, postponed: true };
      }
      const result = await contact();
      if (result.kind === "response") {
        if (result.isFinal) stateOf(server).objections = 0;
        return { ok: true, response: result.response };
      }
      const failure = { ok: false, reason: `${server}: ${result.reason}` } as const;
      return result.kind === "failed"
        ? failure
        : { ...failure, retryAfterMs: pause(server, result.retryAfterMs) };
    },
  };
}
