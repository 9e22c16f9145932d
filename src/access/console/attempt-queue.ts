import type { Needs } from "../../platform/lib/needs.ts";
import { addressClass } from "../../platform/network/addresses.ts";
import { clientNetwork } from "../../platform/network/client-network.ts";
import { createCodeLimits } from "../accounts/code-limits.ts";
import { readRecoveryCode } from "../accounts/recovery-codes.ts";
import { createShares, type Share } from "./fair-shares.ts";

/** Where an attempt comes from. */
export interface AttemptOrigin {
  /** IP address of the client; null: unknown. */
  address: string | null;
  /** Identifies the browser while it is not signed in. Anyone can get a new one. */
  visit: string;
  /** Identifies a browser that has signed in before; undefined if it has not. It cannot be forged. */
  device: string | undefined;
}

/**
 * Decides which attempt to sign in is verified next. No attempt is rejected because of earlier ones: each waits for its
 * turn, and turns go around between clients, so that a correct password is accepted while others guess.
 */
export type AttemptQueue = ReturnType<typeof createAttemptQueue>;

/** Failed attempts that are verified without delay, as long as there were none recently. */
const burstMax = 20;
/** One failed attempt per this time is verified, from all clients together: 7,200 per hour. */
const paceMs = 500;
/** Maximum number of concurrent verifications: each may take 19 MiB and a CPU core. */
const concurrentMax = 2;
/** Maximum number of waiting attempts. Beyond that, the client with the most waiting attempts loses one. */
const waitingMax = 64;
/** Maximum time that an attempt waits, which is a turn for 16 clients that attack at once. */
const waitMsMax = 8_000;
/** Time after which a client whose turn did not come should try again. */
export const retryAfterSeconds = 10;

/** Networks by which turns are shared: more addresses in one of them bring no more turns. */
const networks = [
  { ipv4Octets: 2, ipv6Groups: 2 },
  { ipv4Octets: 3, ipv6Groups: 3 },
  { ipv4Octets: 4, ipv6Groups: 4 },
];

interface Waiting extends Share {
  start(): void;
  drop(): void;
}

export function createAttemptQueue({ clock }: Needs<"clock">) {
  const shares = createShares({ clock });
  let waiting: Waiting[] = [];
  let tokens = burstMax;
  let running = 0;
  let arrivals = 0;
  let isRefilling = false;

  const hasTurn = () => waiting.length > 0 && tokens > 0 && running < concurrentMax;

  function pump(): void {
    while (hasTurn()) {
      const next = shares.next(waiting);
      waiting = waiting.filter((one) => one !== next);
      next.start();
    }
  }

  /** Timers instead of the time of day, which can be set. */
  function refill(): void {
    if (isRefilling) return;
    isRefilling = true;
    clock.after(paceMs, () => {
      isRefilling = false;
      tokens += 1;
      if (tokens < burstMax) refill();
      pump();
    });
  }

  async function run(keys: readonly string[], verify: () => Promise<boolean>): Promise<boolean> {
    tokens -= 1;
    running += 1;
    let isCorrect = false;
    try {
      isCorrect = await verify();
      return isCorrect;
    } finally {
      running -= 1;
      if (isCorrect) {
        tokens += 1;
        shares.forgive(keys);
      } else refill();
      pump();
    }
  }

  return {
    /** Verifies an attempt when it is its turn. Returns undefined if its turn did not come in time. */
    verify(origin: AttemptOrigin, verify: () => Promise<boolean>) {
      const keys = keysOf(origin);
      const { promise, resolve, reject } = Promise.withResolvers<boolean | undefined>();
      const deadline = clock.after(waitMsMax, () => attempt.drop());
      const attempt: Waiting = {
        keys,
        arrival: arrivals++,
        start() {
          deadline.cancel();
          run(keys, verify).then(resolve, reject);
        },
        drop() {
          deadline.cancel();
          waiting = waiting.filter((one) => one !== attempt);
          resolve(undefined);
        },
      };
      waiting.push(attempt);
      if (waiting.length > waitingMax) shares.excess(waiting).drop();
      pump();
      return promise;
    },
  };
}

/** Returns the groups that an attempt belongs to, from the widest to the narrowest. Each key names its whole path. */
function keysOf({ address, visit, device }: AttemptOrigin): string[] {
  if (device !== undefined) return ["known", `known ${device}`];
  const names = networks.map((network) => `${clientNetwork(address, network)}/${network.ipv4Octets}`);
  // An attacker on the internet has no private address.
  const found = address === null ? undefined : addressClass(address);
  const kind = found === "private" || found === "loopback" ? "private" : "unknown";
  return [kind, ...names, `${names.at(-1)} ${visit}`];
}

/** Verifies codes in the turns of the queue that verifies passwords, and limits the wrong ones of each account. */
export type CodeAttempts = ReturnType<typeof createCodeAttempts>;

export function createCodeAttempts({ clock, queue }: Needs<"clock"> & { queue: AttemptQueue }) {
  const limits = createCodeLimits({ clock });
  return {
    /**
     * Calls `verify` when it is the attempt's turn. Returns undefined if its turn did not come in time, and `limited`
     * if the account has had too many wrong codes from browsers like this one.
     */
    async verify(
      { accountSeq, code, origin }: { accountSeq: number; code: string; origin: AttemptOrigin },
      verify: () => Promise<boolean>,
    ) {
      const isLimited = readRecoveryCode(code) === undefined;
      const key = `${accountSeq} ${origin.device ?? ""}`;
      if (isLimited && !limits.take(key)) return "limited";
      const isCorrect = await queue.verify(origin, verify);
      if (isLimited && isCorrect !== false) limits.giveBack(key);
      return isCorrect;
    },
  };
}
