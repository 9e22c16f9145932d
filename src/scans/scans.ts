import { system, type Actor } from "../access/audit/actor.ts";
import type { AuditLog } from "../access/audit/audit-log.ts";
import { tryLock, type Lock } from "../database/lock.ts";
import type { ProtectedDomain, ProtectedDomains } from "../domains/domains.ts";
import type { Outbox } from "../events/outbox.ts";
import { toIsoTime } from "../lib/clock.ts";
import { badRequest, messageOf, notFound } from "../lib/errors.ts";
import type { IdFactory } from "../lib/ids.ts";
import { logDropped, type Log } from "../lib/log.ts";
import { visible } from "../lib/safe-text.ts";
import { every, type Schedule } from "../lib/schedule.ts";
import type { ResolverCheck } from "../network/dns/dns-client.ts";
import type { ScanTrigger } from "../vocabulary/scans.ts";
import { type LiveScan, progressOf, type ScanProgress } from "./progress.ts";
import { runScan, ScanError, type ScanDependencies } from "./run-scan.ts";
import type { Found, ScanWatcher } from "./scan-recorder.ts";
import { createScanStore, type ScanStore, type ScanTotals } from "./store.ts";
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

/** Searches for registered look-alikes, on schedule and on request. Only one scan runs at a time, in any process. */
export interface Scans {
  /** Marks scans as failed that a crash left running, and starts the schedule. */
  start(): void;
  /** Cancels the running scan; its results so far are kept. */
  stop(): Promise<void>;
  /**
   * Runs a scan to its end and returns it. A failure is in the scan, not thrown.
   * @throws PublicError `not_found`: no such protected domain; `bad_request`: there is none, or a scan is running.
   */
  run(options: ScanOptions): Promise<Scan>;
  /** Starts a scan like `run`, and returns it with a promise for its end. */
  begin(options: ScanOptions): { scan: Scan; ended: Promise<Scan> };
  /** Cancels a running scan of any process within a second. Returns whether the scan was running. */
  cancel(id: string, options: { by: Actor }): boolean;
  running(): Scan | undefined;
  /** Returns the progress of the running scan. */
  progress(): ScanProgress | undefined;
  get(id: string): Scan | undefined;
  /** Returns scans, newest first. */
  list(limit: number, offset?: number): Scan[];
  totals(): ScanTotals;
  /** Returns the configured resolvers and whether each can be trusted. */
  checkResolvers(): Promise<ResolverCheck[]>;
}

/** Maximum number of protected domains in an audit entry. */
const recordedDomainsMax = 20;

/** A scan of this process. */
interface Running extends LiveScan {
  readonly id: string;
  readonly cancelling: AbortController;
  ended?: Promise<unknown>;
}

export function createScans({
  outbox,
  ids,
  log,
  schedule: pattern,
  auditLog,
  onFound,
  ...dependencies
}: ScanDependencies & {
  outbox: Outbox;
  ids: IdFactory;
  log: Log;
  /** Cron expression in UTC; null for no schedule. */
  schedule: string | null;
  auditLog: Pick<AuditLog, "record">;
  /** Called for every look-alike that a scan finds, including known ones. */
  onFound?: (found: Found) => void;
}): Scans {
  const { database, clock, domains } = dependencies;
  const store = createScanStore({ database, clock, ids, outbox });
  const execute = createExecution({ dependencies, store, log, onFound });
  const stopping = new AbortController();
  let schedule: Schedule | undefined;
  let current: Running | undefined;

  const takeLock = () => (current === undefined ? tryLock(database.path, "scan.lock") : undefined);

  function begin(options: ScanOptions): { scan: Scan; ended: Promise<Scan> } {
    const { trigger, by, limit = null } = options;
    const targets = selectTargets(domains, options.domains ?? []);
    const protectedDomains = targets.map(({ domain }) => domain);
    const lock = takeLock();
    if (lock === undefined) throw badRequest(alreadyRunningText(store.running()[0]));
    let scan: Scan;
    try {
      closeAbandoned(store);
      scan = database.transaction(() => {
        const begun = store.begin({ protectedDomains, trigger });
        const detail = { domains: protectedDomains.slice(0, recordedDomainsMax), limit };
        // The list of scans shows scheduled ones; in the audit log they would only be noise.
        if (by.channel !== "system") auditLog.record(by, "scan.start", begun.id, detail);
        return begun;
      });
    } catch (error) {
      lock.release();
      throw error;
    }
    const running: Running = {
      id: scan.id,
      cancelling: new AbortController(),
      counts: scan,
      lookingUpSince: undefined,
    };
    current = running;
    const ended = execute(running, { targets, options, stopping: stopping.signal }).finally(() => {
      current = undefined;
      lock.release();
    });
    running.ended = ended.catch((error: unknown) =>
      logDropped(log, error, "outcome of a scan could not be recorded"),
    );
    return { scan, ended };
  }

  const run = async (options: ScanOptions): Promise<Scan> => begin(options).ended;

  return {
    start() {
      if (store.running().length > 0) closeAbandonedIfFree(store, takeLock());
      if (pattern !== null) schedule = every({ clock, pattern, run: () => runOnSchedule({ run, log }) });
    },
    async stop() {
      schedule?.stop();
      stopping.abort();
      await current?.ended;
    },
    run,
    begin,
    progress() {
      const scan = store.running()[0];
      if (scan === undefined) return undefined;
      return progressOf(scan, current?.id === scan.id ? current : undefined, clock.now());
    },
    cancel: (id, { by }) =>
      database.transaction(() => {
        if (current?.id === id) current.cancelling.abort();
        const wasRunning = store.requestCancel(id);
        if (wasRunning && by.channel !== "system") auditLog.record(by, "scan.cancel", id);
        return wasRunning;
      }),
    running: () => store.running()[0],
    get: store.get,
    list: store.list,
    totals: store.totals,
    checkResolvers: () => dependencies.dns.checkResolvers(),
  };
}

function selectTargets(domains: ProtectedDomains, names: readonly string[]): ProtectedDomain[] {
  if (names.length === 0) {
    const enabled = domains.list().filter((domain) => domain.enabled);
    if (enabled.length === 0) throw badRequest("there is no protected domain; add one first");
    return enabled;
  }
  const found = names.map((name) => {
    const domain = domains.find(name);
    if (domain?.enabled === true) return domain;
    throw notFound(`${visible(name, 100)} is not a protected domain; add it first`);
  });
  return [...new Map(found.map((domain) => [domain.domain, domain])).values()];
}

/** Closes scans whose process has ended. The caller holds the lock, so no process runs them. */
function closeAbandoned(store: ScanStore): void {
  for (const { id } of store.running()) store.close(id, "failed", "the process that ran the scan ended");
}

/** Closes abandoned scans unless another process runs one, which is when the lock was not available. */
function closeAbandonedIfFree(store: ScanStore, lock: Lock | undefined): void {
  try {
    if (lock !== undefined) closeAbandoned(store);
  } finally {
    lock?.release();
  }
}

/** Returns a function that runs one scan and records its outcome. It rejects only if the database cannot be written. */
function createExecution({
  dependencies,
  store,
  log,
  onFound,
}: {
  dependencies: ScanDependencies;
  store: ScanStore;
  log: Log;
  onFound: ((found: Found) => void) | undefined;
}) {
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
    const watcher: ScanWatcher = {
      onFound(found) {
        onFound?.(found);
        options.onFound?.(found);
      },
      onProgress(counts) {
        running.counts = counts;
        if (counts.candidates > 0) running.lookingUpSince ??= dependencies.clock.now();
        options.onProgress?.(counts);
      },
    };
    try {
      await runScan(dependencies, { id, store, targets, limit, cancelling, watcher });
      return store.close(id, cancelling.signal.aborted ? "cancelled" : "completed");
    } catch (error) {
      if (!(error instanceof ScanError)) logDropped(log, error, "scan aborted");
      return store.close(id, "failed", error instanceof ScanError ? error.message : "an internal error");
    } finally {
      signal?.removeEventListener("abort", cancel);
      stopping.removeEventListener("abort", cancel);
    }
  };
}

const offlineAdvice = 'on a host without internet access, set scan.schedule = ""';

async function runOnSchedule({
  run,
  log,
}: {
  run: (options: ScanOptions) => Promise<Scan>;
  log: Log;
}): Promise<void> {
  try {
    const scan = await run({ trigger: "schedule", by: system });
    const { id, status, error, candidates, resolving, threatsCreated } = scan;
    const level = status === "failed" ? "warn" : "info";
    const advice = status === "failed" ? { advice: offlineAdvice } : {};
    log[level](
      { scan: id, status, error, ...advice, candidates, resolving, created: threatsCreated },
      "scan ended",
    );
  } catch (error) {
    // There is no protected domain, or another scan is running; the schedule continues.
    log.warn({ reason: messageOf(error) }, "scheduled scan could not start");
  }
}

const triggerNames: Readonly<Record<ScanTrigger, string>> = {
  schedule: "the schedule",
  console: "the console",
  cli: "the command line",
};

function alreadyRunningText(scan: Scan | undefined): string {
  // Another process may have taken the lock and not yet recorded its scan.
  if (scan === undefined) return "a scan is already running; wait for it to end";
  const { trigger, startedAt, planned, candidates } = scan;
  const part = planned === 0 ? "" : `, ${Math.floor((candidates / planned) * 100)} % done`;
  const origin = `started by ${triggerNames[trigger]} at ${toIsoTime(startedAt)}`;
  return `a scan is already running, ${origin}${part}; wait for it to end, or cancel it`;
}
