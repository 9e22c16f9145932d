import type { Actor } from "../../access/audit/actor.ts";
import type { ProtectedDomain } from "../../threats/domains/domains.ts";
import { logDropped, type Log } from "../../platform/lib/log.ts";
import type { Needs } from "../../platform/lib/needs.ts";
import type { ScanTrigger } from "../../platform/vocabulary/scans.ts";
import type { LiveScan } from "./progress.ts";
import { runScan, type ScanDependencies } from "./run-scan.ts";
import { ScanError } from "./scan-error.ts";
import type { ScanWatcher } from "./scan-recorder.ts";
import type { ScanOutcome, ScanStore } from "./store.ts";
import type { Scan } from "./tables.ts";

export interface ScanOptions extends ScanWatcher {
  trigger: ScanTrigger;
  by: Actor;
  /** Protected domains to scan for, in any form; empty or absent for all enabled ones. */
  domains?: readonly string[];
  /** Maximum number of look-alikes per protected domain. */
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** A scan of this process. */
export interface Running extends LiveScan {
  readonly id: string;
  readonly cancelling: AbortController;
  ended?: Promise<unknown>;
}

/** Returns a function that runs one scan and records its outcome. It rejects only if the database cannot be written. */
export function createExecution(given: Needs<"log"> & { dependencies: ScanDependencies; store: ScanStore }) {
  const { dependencies, store, log } = given;
  return async (
    running: Running,
    {
      targets,
      options,
      stopping,
    }: { targets: readonly ProtectedDomain[]; options: ScanOptions; stopping: AbortSignal },
  ): Promise<Scan> => {
    const { id, cancelling } = running;
    const { limit, signal } = options;
    const cancel = () => cancelling.abort();
    for (const each of [signal, stopping]) {
      each?.addEventListener("abort", cancel);
      if (each?.aborted === true) cancel();
    }
    const end = async (outcome: ScanOutcome) => {
      const scan = await dependencies.database.write(() => store.close(id, outcome), { patient: true });
      logEnd(log, scan);
      return scan;
    };
    const watcher: ScanWatcher = {
      onFound: options.onFound,
      onProgress(counts) {
        running.counts = counts;
        if (counts.candidates > 0) running.lookingUpSince ??= dependencies.clock.now();
        options.onProgress?.(counts);
      },
    };
    try {
      await runScan(dependencies, { id, store, targets, limit, cancelling, watcher });
      return await end({ status: cancelling.signal.aborted ? "cancelled" : "completed" });
    } catch (error) {
      if (error instanceof ScanError)
        return await end({ status: "failed", failure: error.failure, error: error.message });
      logDropped(log, error, "scan.internal_error");
      return await end({ status: "failed", failure: "internal_error", error: "an internal error" });
    } finally {
      signal?.removeEventListener("abort", cancel);
      stopping.removeEventListener("abort", cancel);
    }
  };
}

const loggedDomainsMax = 20;
const offlineAdvice = 'on a host without internet access, set scan.schedule = "" and lookups.enabled = false';

/** Logs the start of a scan. `limit` is null if there is none, and undefined if it is not known. */
export function logStart(log: Log, { id, trigger, protectedDomains }: Scan, limit?: number | null): void {
  const domains = protectedDomains.slice(0, loggedDomainsMax);
  log.event("scan.started", { scan: id, trigger, domains, domainCount: protectedDomains.length, limit });
}

/** Logs the outcome of a scan. */
export function logEnd(log: Log, scan: Scan): void {
  const { id, trigger, status, failure, error, candidates, resolving, unknown, threatsFound } = scan;
  const counts = { candidates, resolving, unknown, found: threatsFound, created: scan.threatsCreated };
  const fields = { scan: id, trigger, ...counts, durationMs: (scan.completedAt ?? 0) - scan.startedAt };
  if (status !== "failed") return log.event("scan.finished", { ...fields, status });
  // The command that runs a scan reports its failure itself.
  if (trigger === "cli") return log.event("scan.command_failed", { ...fields, failure, reason: error });
  const advice = trigger === "schedule" ? offlineAdvice : null;
  log.event("scan.failed", { ...fields, failure, reason: error, advice });
}
