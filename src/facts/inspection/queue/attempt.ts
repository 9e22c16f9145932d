import type { Clock } from "../../../platform/lib/clock.ts";
import { createKeyedLimiter, inSlot } from "../../../platform/lib/limiter.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import type { Existence, LookUpExistence } from "../../lookups/dns/existence.ts";
import { addressNumber } from "../../../platform/network/addresses.ts";
import { freedByBrowser, inTime } from "../inspector/render.ts";
import type { InspectionResult, InspectionTarget, Inspector } from "../model/inspector.ts";
import { placeOf } from "./addresses.ts";

/** Parked names and shared hosting: many names have one address, which must not be flooded. As many as browsers open. */
const pagesPerAddressMax = 6;
/** More of them do not wait in a slot each, but in the queue. */
const waitingPerAddressMax = 4;
/** Minimum delay of those, and maximum: as many as can wait at all. */
const busyDelayMsMin = 5_000;
const busyDelayMsMax = 24 * 3_600_000;
/** Duration of an inspection at an address until one has ended there. */
const durationMsDefault = 2_000;
const reasonLengthMax = 300;

/** Result of one attempt to inspect an address. */
export type Attempt =
  | {
      kind: "inspected";
      result: Extract<InspectionResult, { ok: true }>;
      existence: Existence;
      /** The same of the host that shows the page, if it is another one. */
      existenceThere?: Existence;
    }
  /** `isFinal`: another attempt would end in the same way. */
  | { kind: "failed"; reason: string; isFinal: boolean }
  /** The server at its address is busy with other inspections. `delayMs`: when it is expected to be free. */
  | { kind: "busy"; delayMs: number };

export type RunAttempt = (
  target: InspectionTarget & { host: string },
  signal: AbortSignal,
) => Promise<Attempt>;

interface AttemptDependencies {
  clock: Pick<Clock, "after" | "monotonicMs">;
  inspector: Pick<Inspector, "inspect">;
  lookUpExistence: LookUpExistence;
}

/** Returns a function that looks the host up in DNS, and inspects the page if there can be one. */
export function createAttempt({ clock, inspector, lookUpExistence }: AttemptDependencies): RunAttempt {
  const perAddress = createKeyedLimiter(pagesPerAddressMax);
  const lines = createLines(clock);

  return async ({ host, ...target }, signal) => {
    const existence = await lookUpExistence(host, { signal });
    signal.throwIfAborted();
    const reason = whyThereIsNoPage(existence);
    const isFinal = existence.exists !== "unknown";
    if (reason !== undefined) return { kind: "failed", reason, isFinal };
    const address = serverOf(existence.addresses[0]!);
    const place = lines.enter(address);
    if ("delayMs" in place) return { kind: "busy", ...place };
    try {
      const result = await inSlot(
        (work) => perAddress(address, work),
        (release) => {
          place.begin();
          const free = () => {
            release();
            place.leave();
          };
          const freed = freedByBrowser(target, free);
          return inTime(clock, signal, (limit) => inspector.inspect(freed, limit));
        },
      );
      const problem = result.ok ? redirectProblem(result) : result.reason;
      if (result.ok && problem === undefined) {
        const shown = placeOf({ address: target.address, host }, result.page);
        const existenceThere =
          shown.host === host ? undefined : await lookUpExistence(shown.host, { signal });
        return { kind: "inspected", result, existence, existenceThere };
      }
      return { kind: "failed", reason: visible(problem ?? "", reasonLengthMax), isFinal: false };
    } finally {
      place.leave();
    }
  };
}

/** Returns why the page that an address leads to was not opened, if there was nothing else to compare. */
function redirectProblem(options: Extract<InspectionResult, { ok: true }>): string | undefined {
  const { isMereRedirect, page, verdicts } = options;
  if (isMereRedirect !== true || verdicts[0]?.imitates === true) return undefined;
  return `only a redirect was seen: ${page.unseen ?? ""} (${page.finalUrl})`;
}

/** Counts the inspections at each address, and estimates when a waiting one gets a place there. */
function createLines(clock: Pick<Clock, "monotonicMs">) {
  const lines = new Map<string, { count: number; durationMs: number; readyAtMs: number }>();
  return {
    /** Takes a place at an address, or returns how long to wait. */
    enter(address: string): { begin(): void; leave(): void } | { delayMs: number } {
      const now = clock.monotonicMs();
      const line = lines.get(address) ?? { count: 0, durationMs: durationMsDefault, readyAtMs: now };
      if (line.count >= pagesPerAddressMax + waitingPerAddressMax) {
        // One after the other, at the speed of the server: thousands would otherwise try again and again.
        const next = line.readyAtMs + line.durationMs / pagesPerAddressMax;
        line.readyAtMs = Math.min(Math.max(next, now + busyDelayMsMin), now + busyDelayMsMax);
        return { delayMs: Math.round(line.readyAtMs - now) };
      }
      line.count += 1;
      lines.set(address, line);
      let begunMs: number | undefined;
      let hasLeft = false;
      return {
        begin: () => void (begunMs = clock.monotonicMs()),
        leave() {
          if (hasLeft) return;
          hasLeft = true;
          line.count -= 1;
          if (begunMs !== undefined) line.durationMs = (line.durationMs + clock.monotonicMs() - begunMs) / 2;
          // Addresses are chosen by others, so none is kept longer than it is used.
          if (line.count === 0) lines.delete(address);
        },
      };
    },
  };
}

/** Returns an IPv4 address, or the network of an IPv6 address, since each server has a whole network. */
function serverOf(address: string): string {
  const found = addressNumber(address);
  return found?.width === 128 ? `${found.value >> 64n}` : address;
}

function whyThereIsNoPage({ addresses, exists, reason }: Existence): string | undefined {
  if (exists === "no") return "the name does not exist in DNS";
  if (exists === "unknown") return `DNS gave no definite response: ${visible(reason ?? "", reasonLengthMax)}`;
  return addresses.length === 0 ? "the name has no address in DNS" : undefined;
}
