import type { Needs } from "../../../platform/database/needs.ts";
import { delay } from "../../../platform/lib/clock.ts";
import { createKeyedLimiter } from "../../../platform/lib/limiter.ts";
import type { Inspection } from "../model/inspection.ts";
import type { InspectNowOptions, NowOutcome } from "../model/request.ts";
import type { ReadAddress } from "./addresses.ts";
import { newInspection, waitFor, type Admission } from "./admission.ts";
import type { RunAttempt } from "./attempt.ts";
import { outcomeOf } from "./record-result.ts";
import type { Runner } from "./runner.ts";
import type { InspectionStore } from "./store.ts";

interface ImmediateInspectionDependencies extends Needs<"clock" | "database" | "ids"> {
  admission: Pick<Admission, "check" | "enqueue" | "known">;
  attempt: RunAttempt;
  finish: Runner["finish"];
  store: InspectionStore;
}

/**
 * Returns a function that inspects one address in this process, without the queue. An address whose host was inspected a
 * moment ago is queued for a running server instead.
 */
export function createImmediateInspection(
  dependencies: ImmediateInspectionDependencies,
): (address: string, options: InspectNowOptions) => Promise<NowOutcome> {
  const { admission, attempt, clock, database, finish, ids, store } = dependencies;
  /** One after the other, so that each address of a host is decided when the one before it is recorded. */
  const perHost = createKeyedLimiter(1);

  /** Returns what becomes of an address that is not inspected now; undefined if it is. */
  async function notNow(
    read: ReadAddress,
    { record, ...options }: Pick<InspectNowOptions, "origin" | "record" | "source">,
  ): Promise<NowOutcome | undefined> {
    const known = admission.known(read, { priority: "person" });
    if (known?.outcome === "known") return { outcome: "known", inspection: known.inspection };
    const now = clock.now();
    const { dueAt, reason } = waitFor(store, read.host, now);
    if (dueAt <= now) return undefined;
    if (!record) return { outcome: "refused", reason: `is not inspected: ${reason}`, isOwn: false };
    const [outcome] = await database.write(() =>
      admission.enqueue([read.address], { ...options, priority: "submission" }),
    );
    return outcome!.outcome === "refused" ? { ...outcome!, isOwn: false } : outcome!;
  }

  async function inspect(
    read: ReadAddress,
    { again = false, browser, record, signal, ...options }: InspectNowOptions,
  ): Promise<NowOutcome> {
    signal.throwIfAborted();
    const other = again ? undefined : await notNow(read, { ...options, record });
    if (other !== undefined) return other;
    const startedMs = clock.monotonicMs();
    const target = { ...read, browser, isUrgent: true };
    let attempted = await attempt(target, signal);
    while (attempted.kind === "busy") {
      await delay(clock, attempted.delayMs, signal);
      attempted = await attempt(target, signal);
    }
    signal.throwIfAborted();
    const durationMs = Math.round(clock.monotonicMs() - startedMs);
    const now = clock.now();
    const fresh = newInspection(read, { ...options, priority: "person" }, { ids, now });
    const screenshot = attempted.kind === "inspected" ? attempted.result.screenshot : undefined;
    const withScreenshot = screenshot === undefined ? {} : { screenshot };
    if (!record) {
      const result: Partial<Inspection> =
        attempted.kind === "inspected"
          ? outcomeOf(attempted, { at: now, durationMs })
          : { state: "failed", reason: attempted.reason, finishedAt: now, durationMs };
      return { outcome: "inspected", inspection: { ...fresh, threatId: null, ...result }, ...withScreenshot };
    }
    const row = await database.write(() => {
      const inserted = store.insert(fresh);
      store.start(inserted.seq, now);
      store.add(now, "started", 1);
      return inserted;
    });
    await finish(row, attempted, { durationMs, mayRetry: false });
    return { outcome: "inspected", inspection: store.get(row.id)!, ...withScreenshot };
  }

  return async (text, options) => {
    const read = admission.check(text);
    if ("error" in read) return { outcome: "refused", reason: read.error, isOwn: read.isOwn === true };
    return perHost(read.host, () => inspect(read, options));
  };
}
