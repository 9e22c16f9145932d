import { badRequest, PublicError } from "../../platform/lib/errors.ts";
import type { Yielder } from "../../platform/lib/yielder.ts";

/** A client that sends requests. */
export interface Asker {
  /** API key or account. */
  owner: string;
  /** Sessions of one account take turns. */
  session?: number;
  /** Maximum number of requests of the session that wait, if they hold more than their connection. */
  waitersMax?: number;
}

/**
 * Shares the processor fairly between those who send expensive requests: searches, pages of the console, exports. A few
 * requests of one owner are in progress at the same time, and the others wait in order, the sessions of an account in
 * turn. Each step of a request takes place in an iteration of the event loop of its own, in turn between the owners, so that a
 * request of another client waits for one step, and not for all that one client sends on many connections.
 */
export type Turns = ReturnType<typeof createTurns>;

/** More than one, since a request can wait for something else than the processor. */
export const inProgressMax = 4;
/** Requests of one session that wait. Each costs no more than its connection. */
export const waitersMaxDefault = 128;
const retryAfterSeconds = 2;

interface Line {
  inProgress: number;
  /** Requests that wait, by session. The first session is next. */
  waiting: Map<number, Set<() => void>>;
}

const disconnected = () => badRequest("The connection was closed before it was the turn of this request.");

export function createTurns({ yielder }: { yielder: (owner: string) => Pick<Yielder, "pause"> }) {
  const lines = new Map<string, Line>();

  function waitInLine(
    { waiting }: Line,
    { session = 0, waitersMax = waitersMaxDefault }: Asker,
    signal: AbortSignal,
  ): Promise<void> {
    // Its form may have been read in the meantime.
    if (signal.aborted) throw disconnected();
    const waiters = waiting.get(session) ?? new Set();
    if (waiters.size >= waitersMax)
      throw new PublicError(
        "rate_limit_exceeded",
        `${waitersMax} of your requests are waiting, which is the maximum; try again in ${retryAfterSeconds} seconds.`,
        undefined,
        retryAfterSeconds,
      );
    waiting.set(session, waiters);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiters.add(resolve);
    signal.addEventListener(
      "abort",
      () => {
        // After its turn has come, it is no longer among them, and goes on.
        if (!waiters.delete(resolve)) return;
        if (waiters.size === 0) waiting.delete(session);
        reject(disconnected());
      },
      { once: true },
    );
    return promise;
  }

  /** Passes the place of a request that has ended to the next one. */
  function passOn(owner: string, line: Line): void {
    const [next] = line.waiting;
    if (next === undefined) {
      line.inProgress -= 1;
      if (line.inProgress === 0) lines.delete(owner);
      return;
    }
    const [session, waiters] = next;
    const [resolve] = waiters;
    waiters.delete(resolve!);
    line.waiting.delete(session);
    if (waiters.size > 0) line.waiting.set(session, waiters);
    resolve!();
  }

  const pause = (owner: string) => yielder(owner).pause();

  return {
    /** Ends a step of a request. Resolves when it is the owner's turn to take another one. */
    pause,
    /**
     * Runs work when it is the asker's turn.
     * @param signal aborts when the client is gone; then it does not wait any longer
     * @throws PublicError `rate_limit_exceeded` if too many requests of the asker wait
     */
    async run<T>(asker: Asker, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
      const { owner } = asker;
      const line = lines.get(owner) ?? { inProgress: 0, waiting: new Map() };
      lines.set(owner, line);
      if (line.inProgress < inProgressMax) line.inProgress += 1;
      else await waitInLine(line, asker, signal);
      try {
        await pause(owner);
        return await work();
      } finally {
        passOn(owner, line);
      }
    },
  };
}
