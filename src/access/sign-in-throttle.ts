import { isIP } from "node:net";
import type { Clock, Instant } from "../lib/clock.ts";

/** Slows whoever guesses passwords: from one address, and from everywhere together. */
export interface SignInThrottle {
  /** Takes one attempt. Answers 0 when it may be made, else after how many seconds one may again. */
  take(address: string | null): number;
  /** The password was right: the address begins anew. */
  forgive(address: string | null): void;
}

const minuteMs = 60_000;
/** From one IPv4 address, or one IPv6 network of 64 bits, which is what one household is given. */
const perAddress = { attempts: 10, windowMs: 10 * minuteMs };
/** From everywhere: 144,000 a day against some 100 bits, or against a long password of one's own. */
const overall = { attempts: 100, windowMs: minuteMs };
/** More are not remembered: the one that came first is forgotten. */
const addressesMax = 10_000;

interface Window {
  attempts: number;
  endsAt: Instant;
}

export function createSignInThrottle({ clock }: { clock: Pick<Clock, "now"> }): SignInThrottle {
  const windows = new Map<string, Window>();
  let all: Window = { attempts: 0, endsAt: 0 };

  function current(window: Window | undefined, windowMs: number): Window {
    const now = clock.now();
    // One that ends too late began before the clock was set back.
    if (window === undefined || now >= window.endsAt || now < window.endsAt - windowMs)
      return { attempts: 0, endsAt: now + windowMs };
    return window;
  }

  return {
    take(address) {
      const key = networkOf(address);
      const own = current(windows.get(key), perAddress.windowMs);
      windows.set(key, own);
      if (windows.size > addressesMax) windows.delete(windows.keys().next().value!);
      all = current(all, overall.windowMs);
      const full =
        own.attempts >= perAddress.attempts ? own : all.attempts >= overall.attempts ? all : undefined;
      if (full !== undefined) return Math.max(1, Math.ceil((full.endsAt - clock.now()) / 1000));
      own.attempts += 1;
      all.attempts += 1;
      return 0;
    },
    forgive: (address) => void windows.delete(networkOf(address)),
  };
}

function networkOf(address: string | null): string {
  if (address === null || isIP(address) !== 6) return address ?? "";
  // URL writes an IPv6 address in full but for one run of zeros (RFC 5952).
  const text = new URL(`http://[${address.split("%")[0]}]/`).hostname.slice(1, -1);
  const [head = "", tail] = text.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill("0"), ...right];
  return groups.slice(0, 4).join(":");
}
