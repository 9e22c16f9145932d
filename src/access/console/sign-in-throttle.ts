import type { Clock, Instant } from "../../lib/clock.ts";
import { clientNetwork } from "../../network/client-network.ts";

/** Limits password guessing, per client address and in total. */
export interface SignInThrottle {
  /** Counts an attempt. Returns 0 if it is allowed, otherwise the seconds after which an attempt will be. */
  take(address: string | null): number;
  /** Resets the address after a correct password, and exempts it from the limit in total. */
  forgive(address: string | null): void;
}

const minuteMs = 60_000;
/** Clients are counted by IPv4 address or /64 network of IPv6, which is what one household has. */
const household = { ipv4Octets: 4, ipv6Groups: 4 };
const perAddress = { attempts: 10, windowMs: 10 * minuteMs };
/** 144,000 attempts per day in total, against a password of 100 bits or a long one that the operator chose. */
const overall = { attempts: 100, windowMs: minuteMs };
/** Maximum number of clients remembered; the oldest is forgotten first. */
const addressesMax = 10_000;
/** Maximum number of clients remembered that signed in since startup. Those of active sessions are known too. */
const knownMax = 100;

interface Window {
  attempts: number;
  endsAt: Instant;
}

export function createSignInThrottle({
  clock,
  signedInFrom = () => [],
}: {
  clock: Pick<Clock, "now">;
  /** Returns the addresses of active sessions. */
  signedInFrom?: () => readonly (string | null)[];
}): SignInThrottle {
  const windows = new Map<string, Window>();
  const known = new Set<string>();
  let all: Window = { attempts: 0, endsAt: 0 };

  function current(window: Window | undefined, windowMs: number): Window {
    const now = clock.now();
    // A window that ends too late started before the clock was set back.
    if (window === undefined || now >= window.endsAt || now < window.endsAt - windowMs)
      return { attempts: 0, endsAt: now + windowMs };
    return window;
  }

  // Otherwise an attacker with a hundred addresses could lock out the administrator.
  const isKnown = (network: string) =>
    known.has(network) || signedInFrom().some((address) => clientNetwork(address, household) === network);

  return {
    take(address) {
      const key = clientNetwork(address, household);
      const own = current(windows.get(key), perAddress.windowMs);
      windows.set(key, own);
      if (windows.size > addressesMax) windows.delete(windows.keys().next().value!);
      all = current(all, overall.windowMs);
      const isOverLimit = all.attempts >= overall.attempts && !isKnown(key);
      const exhausted = own.attempts >= perAddress.attempts ? own : isOverLimit ? all : undefined;
      if (exhausted !== undefined) return Math.max(1, Math.ceil((exhausted.endsAt - clock.now()) / 1000));
      own.attempts += 1;
      all.attempts += 1;
      return 0;
    },
    forgive(address) {
      const network = clientNetwork(address, household);
      windows.delete(network);
      known.delete(network);
      known.add(network);
      if (known.size > knownMax) known.delete(known.keys().next().value!);
    },
  };
}
