import type { Clock } from "../../lib/clock.ts";
import { createKeyedLimiter } from "../../lib/limiter.ts";
import { visible } from "../../lib/safe-text.ts";
import type { Existence, LookUpExistence } from "../../lookups/dns/existence.ts";
import type { InspectionResult, InspectionTarget, Inspector } from "../model/inspector.ts";

/** Parked names and shared hosting: many names have one address, which must not be flooded. */
const pagesPerAddressMax = 2;
/** More of them do not wait in a slot each, but in the queue. */
const waitingPerAddressMax = 4;
const reasonLengthMax = 300;
/** An inspection has time limits of its own, also for its turn in the browser; this one applies if they do not hold. */
const inspectionTimeoutMs = 15 * 60_000;
const tooLate = `not finished within ${inspectionTimeoutMs / 60_000} minutes`;

/** Result of one attempt to inspect an address. */
export type Attempt =
  | { kind: "inspected"; result: Extract<InspectionResult, { ok: true }>; existence: Existence }
  /** `isFinal`: another attempt would end in the same way. */
  | { kind: "failed"; reason: string; isFinal: boolean; existence: Existence }
  /** The server at its address is busy with other inspections. */
  | { kind: "busy" };

export type RunAttempt = (
  target: InspectionTarget & { host: string },
  signal: AbortSignal,
) => Promise<Attempt>;

/** Returns a function that looks the host up in DNS, and inspects the page if there can be one. */
export function createAttempt({
  clock,
  inspector,
  lookUpExistence,
}: {
  clock: Pick<Clock, "after">;
  inspector: Pick<Inspector, "inspect">;
  lookUpExistence: LookUpExistence;
}): RunAttempt {
  const perAddress = createKeyedLimiter(pagesPerAddressMax);
  const waiting = new Map<string, number>();

  async function inspectInTime(target: InspectionTarget, signal: AbortSignal): Promise<InspectionResult> {
    signal.throwIfAborted();
    const late = new AbortController();
    const timer = clock.after(inspectionTimeoutMs, () => late.abort());
    try {
      return await inspector.inspect(target, AbortSignal.any([signal, late.signal]));
    } catch (error) {
      if (signal.aborted || !late.signal.aborted) throw error;
      return { ok: false, reason: tooLate };
    } finally {
      timer.cancel();
    }
  }

  return async ({ host, ...target }, signal) => {
    const existence = await lookUpExistence(host, { signal });
    signal.throwIfAborted();
    const reason = whyThereIsNoPage(existence);
    const isFinal = existence.exists !== "unknown";
    if (reason !== undefined) return { kind: "failed", reason, isFinal, existence };
    const address = existence.addresses[0]!;
    const already = waiting.get(address) ?? 0;
    if (already >= pagesPerAddressMax + waitingPerAddressMax) return { kind: "busy" };
    waiting.set(address, already + 1);
    try {
      const result = await perAddress(address, async () => inspectInTime(target, signal));
      if (result.ok) return { kind: "inspected", result, existence };
      return { kind: "failed", reason: visible(result.reason, reasonLengthMax), isFinal: false, existence };
    } finally {
      const left = waiting.get(address)! - 1;
      if (left === 0) waiting.delete(address);
      else waiting.set(address, left);
    }
  };
}

function whyThereIsNoPage({ addresses, exists, reason }: Existence): string | undefined {
  if (exists === "no") return "the name does not exist in DNS";
  if (exists === "unknown") return `DNS gave no definite response: ${visible(reason ?? "", reasonLengthMax)}`;
  return addresses.length === 0 ? "the name has no address in DNS" : undefined;
}
