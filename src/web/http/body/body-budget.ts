import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import type { Clock, Timer } from "../../../platform/lib/clock.ts";
import { tryAgainLater } from "../../../platform/lib/errors.ts";
import type { Needs } from "../../../platform/lib/needs.ts";
import type { Yielder } from "../../../platform/lib/yielder.ts";

/** Returns how many bytes of memory this process may use: the least of its cgroup, its address space and the machine. */
export function memoryLimitBytes(): number {
  // 0, or an astronomical number, without a limit of the cgroup.
  const ofCgroup = process.constrainedMemory() || Infinity;
  return Math.min(totalmem(), ofCgroup, addressSpaceBytes());
}

/** RLIMIT_AS; infinite where the system does not report it. */
function addressSpaceBytes(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    return Number(/^Max address space\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}

/** Limits the memory that the bodies of all requests use together, and divides the work on them into slices. */
export interface BodyBudget {
  /** Opens the account of one request. */
  open(): BodyAccount;
  /** Bytes that are counted at present. */
  readonly heldBytes: number;
}

/** The bytes of one request's body. */
export interface BodyAccount {
  /**
   * Counts bytes that have arrived. Returns undefined if the budget has room for them, else a promise that resolves
   * once it has.
   * @throws PublicError `internal_error` that says when to try again
   */
  take(bytes: number): Promise<void> | undefined;
  /** Returns undefined while the current slice of work has time left, else a promise of the next slice. */
  pause(): Promise<void> | undefined;
  /** Gives back all bytes. */
  close(): void;
}

/** Share of the process's memory limit that bodies may use together. */
const memoryShare = 1 / 8;
const budgetBytesMin = 24 << 20;
const budgetBytesMax = 256 << 20;
/** Largest body of any operation. */
export const largestBodyBytes = 10 << 20;
/**
 * A body up to this size is not counted: it costs no more than its connection, and a client without a key or session
 * must not be able to use up the budget of others.
 */
export const freeBodyBytes = 4 << 10;
/** The first bytes of each body count in a part of the budget that large bodies cannot use up. */
const smallBodyBytes = 64 << 10;
const smallShare = 1 / 4;
/** How long a body waits for others to be done. */
const waitMsMax = 10_000;
const waitersMax = 32;
const retryAfterSeconds = 10;
const logIntervalMs = 60_000;

/** Returns the budget in bytes of a process with that memory limit. */
export function budgetBytesOf(memoryBytes: number): number {
  return Math.min(budgetBytesMax, Math.max(budgetBytesMin, Math.floor(memoryBytes * memoryShare)));
}

/** @param memoryBytes memory limit of the process */
export function createBodyBudget({
  memoryBytes,
  yielder,
  clock,
  log,
}: Needs<"clock" | "log"> & { memoryBytes: number; yielder: Yielder }): BodyBudget {
  const bytesMax = budgetBytesOf(memoryBytes);
  const smallBytesMax = Math.floor(bytesMax * smallShare);
  let loggedAtMs = -Infinity;
  function refuse(): Error {
    if (clock.monotonicMs() - loggedAtMs >= logIntervalMs) {
      loggedAtMs = clock.monotonicMs();
      log.event("http.body_budget_exceeded", {
        budgetBytes: bytesMax,
        heldBytes: small.heldBytes + large.heldBytes,
      });
    }
    return tryAgainLater(
      `The server is reading as many request bodies as its memory allows; try again in ${retryAfterSeconds} seconds.`,
      { retryAfterSeconds },
    );
  }
  const small = createPool({ bytesMax: smallBytesMax - smallBodyBytes, clock, refuse });
  const large = createPool({ bytesMax: bytesMax - smallBytesMax - largestBodyBytes, clock, refuse });
  return {
    get heldBytes() {
      return small.heldBytes + large.heldBytes;
    },
    open() {
      let total = 0;
      const account = {};
      return {
        take(bytes) {
          total += bytes;
          if (total <= freeBodyBytes) return undefined;
          return (total <= smallBodyBytes ? small : large).take(account, bytes);
        },
        pause: () => (yielder.due() ? yielder.pause() : undefined),
        close() {
          small.release(account);
          large.release(account);
        },
      };
    },
  };
}

interface Waiter {
  account: object;
  bytes: number;
  timer: Timer;
  resolve(): void;
}

/**
 * A part of the budget. Bytes wait while it is used up, in the order of their arrival. The account that is open for
 * longest never waits, so `bytesMax` may be exceeded by one body; otherwise bodies that have arrived in part could wait
 * for each other.
 */
function createPool({ bytesMax, clock, refuse }: { bytesMax: number; clock: Clock; refuse: () => Error }) {
  let heldBytes = 0;
  /** Bytes by account, oldest first. */
  const accounts = new Map<object, number>();
  let waiters: Waiter[] = [];

  function fits(account: object, bytes: number): boolean {
    if (heldBytes + bytes <= bytesMax) return true;
    const [oldest] = accounts.keys();
    return oldest === undefined || oldest === account;
  }

  function add(account: object, bytes: number): void {
    heldBytes += bytes;
    accounts.set(account, (accounts.get(account) ?? 0) + bytes);
  }

  function wait(account: object, bytes: number): Promise<void> {
    if (waiters.length >= waitersMax) throw refuse();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = clock.after(waitMsMax, () => {
      waiters = waiters.filter((waiter) => waiter.timer !== timer);
      reject(refuse());
    });
    waiters.push({ account, bytes, timer, resolve });
    return promise;
  }

  function grant(): void {
    waiters = waiters.filter(({ account, bytes, timer, resolve }) => {
      if (!fits(account, bytes)) return true;
      add(account, bytes);
      timer.cancel();
      resolve();
      return false;
    });
  }

  return {
    get heldBytes() {
      return heldBytes;
    },
    take(account: object, bytes: number): Promise<void> | undefined {
      // An account keeps its place in the order while it waits.
      const isFirst = waiters.length === 0 || accounts.keys().next().value === account;
      if (isFirst && fits(account, bytes)) return void add(account, bytes);
      return wait(account, bytes);
    },
    release(account: object): void {
      const bytes = accounts.get(account);
      if (bytes === undefined) return;
      accounts.delete(account);
      heldBytes -= bytes;
      grant();
    },
  };
}
