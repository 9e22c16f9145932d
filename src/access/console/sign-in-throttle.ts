import type { Clock, Instant } from "../../lib/clock.ts";
import { clientNetwork } from "../../network/client-network.ts";

/** Slows whoever guesses passwords: from one address, and from everywhere together. */
export interface SignInThrottle {
  /** Takes one attempt. Answers 0 when it may be made, else after how many seconds one may again. */
  take(address: string | null): number;
  /** The password was right: the address begins anew, and is not kept out by what others do. */
  forgive(address: string | null): void;
}

const minuteMs = 60_000;
/** One IPv4 address, or one IPv6 network of 64 bits. */
const household = { ipv4Octets: 4, ipv6Groups: 4 };
const perAddress = { attempts: 10, windowMs: 10 * minuteMs };
/** From everywhere: 144,000 a day against some 100 bits, or against a long password of one's own. */
const overall = { attempts: 100, windowMs: minuteMs };
/** More are not remembered: the one that came first is forgotten. */
const addressesMax = 10_000;
/** Where somebody signed in from since the start; beyond that the sessions that hold tell it. */
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
  /** Addresses of sessions that hold. */
  signedInFrom?: () => readonly (string | null)[];
}): SignInThrottle {
  const windows = new Map<string, Window>();
  const known = new Set<string>();
  let all: Window = { attempts: 0, endsAt: 0 };

  function current(window: Window | undefined, windowMs: number): Window {
    const now = clock.now();
    // One that ends too late began before the clock was set back.
    if (window === undefined || now >= window.endsAt || now < window.endsAt - windowMs)
      return { attempts: 0, endsAt: now + windowMs };
    return window;
  }

  // Else whoever has a hundred addresses could keep the administrator out for good.
  const isKnown = (network: string) =>
    known.has(network) || signedInFrom().some((address) => clientNetwork(address, household) === network);

  return {
    take(address) {
      const key = clientNetwork(address, household);
      const own = current(windows.get(key), perAddress.windowMs);
      windows.set(key, own);
      if (windows.size > addressesMax) windows.delete(windows.keys().next().value!);
      all = current(all, overall.windowMs);
      const isOverfull = all.attempts >= overall.attempts && !isKnown(key);
      const full = own.attempts >= perAddress.attempts ? own : isOverfull ? all : undefined;
      if (full !== undefined) return Math.max(1, Math.ceil((full.endsAt - clock.now()) / 1000));
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
