import type { Actor } from "../access/audit/actor.ts";
import type { AuditLog } from "../access/audit/audit-log.ts";
import { tryLock } from "../database/lock.ts";
import type { ProtectedDomain } from "../domains/domains.ts";
import type { Outbox } from "../events/outbox.ts";
import { toIsoTime } from "../lib/clock.ts";
import { badRequest, messageOf, notFound } from "../lib/errors.ts";
import type { IdFactory } from "../lib/ids.ts";
import { logDropped, type Log } from "../lib/log.ts";
import { visible } from "../lib/safe-text.ts";
import { every, type Schedule } from "../lib/schedule.ts";
import type { ResolverCheck } from "../network/dns/dns-client.ts";
import { type LiveScan, progressOf, type ScanProgress } from "./progress.ts";
import { runScan, ScanError, type Found, type ScanDependencies, type ScanWatcher } from "./run-scan.ts";
import { createScanStore, type ScanTotals } from "./store.ts";
import type { Scan } from "./tables.ts";
import type { ScanTrigger } from "../vocabulary/scans.ts";

export interface ScanOptions extends ScanWatcher {
  trigger: ScanTrigger;
  /** Who asked for it, for the audit log; absent: nobody. */
  by?: Actor | undefined;
  /** Protected domains, in any form; none: all that are enabled. */
  domains?: readonly string[];
  /** So many look-alikes of each at most. */
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Looking for look-alikes that exist: on schedule and when asked, one scan at a time whatever process runs it. */
export interface Scans {
  /** Closes what a crash left open, and begins to follow the schedule. */
  start(): void;
  /** Ends the running scan; what it found up to there is recorded. */
  stop(): Promise<void>;
  /**
   * Runs a scan to its end and answers how it ended: a failure is in the scan, not thrown.
   * @throws PublicError `not_found`: no such protected domain; `bad_request`: none at all, or a scan is running.
   */
  run(options: ScanOptions): Promise<Scan>;
  /** The same for callers who do not wait: answers the scan as it begins, and its end as a promise that is kept. */
  begin(options: ScanOptions): { scan: Scan; ended: Promise<Scan> };
  /** Ends a running scan, whatever process runs it, within a second; answers whether there is such a one. */
  cancel(id: string, by?: Actor): boolean;
  running(): Scan | undefined;
  /** How far the running one is. */
  progress(): ScanProgress | undefined;
  get(id: string): Scan | undefined;
  /** Newest first. */
  list(limit: number, offset?: number): Scan[];
  totals(): ScanTotals;
  /** Which resolvers there are, and which of them can be relied on. */
  checkResolvers(): Promise<ResolverCheck[]>;
}

/** So many names stand in the audit log. */
const auditedDomainsMax = 20;

/** A scan that this process runs. */
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
  /** Cron, UTC; null: never. */
  schedule: string | null;
  auditLog: AuditLog;
  /** Told of every look-alike that a scan found, known ones too, with what the DNS says about it. */
  onFound?: (found: Found) => void;
}): Scans {
  const { database, clock, domains } = dependencies;
  const store = createScanStore({ database, clock, ids, outbox });
  const stopping = new AbortController();
  let schedule: Schedule | undefined;
  let current: Running | undefined;

  const lock = () => (current === undefined ? tryLock(database.path, "scan.lock") : undefined);

  /** Whoever holds the lock knows that nobody runs what is open on record. */
  function closeLeftOpen(): void {
    for (const { id } of store.running()) store.close(id, "failed", "the process that ran the scan ended");
  }

  function closeLeftOpenUnlessHeld(): void {
    const held = lock();
    try {
      if (held !== undefined) closeLeftOpen();
    } finally {
      held?.release();
    }
  }

  function targetsOf(names: readonly string[]): ProtectedDomain[] {
    if (names.length === 0) {
      const all = domains.list().filter(({ enabled }) => enabled);
      if (all.length === 0) throw badRequest("there is no protected domain; add one first");
      return all;
    }
    const found = names.map((name) => {
      const domain = domains.find(name);
      if (domain?.enabled === true) return domain;
      throw notFound(`${visible(name, 100)} is not a protected domain; add it first`);
    });
    return [...new Map(found.map((domain) => [domain.domain, domain])).values()];
  }

  function begin(options: ScanOptions): { scan: Scan; ended: Promise<Scan> } {
    const targets = targetsOf(options.domains ?? []);
    const held = lock();
    if (held === undefined) throw badRequest(runningText(store.running()[0]));
    let scan: Scan;
    try {
      closeLeftOpen();
      const protectedDomains = targets.map(({ domain }) => domain);
      const { trigger, by, limit = null } = options;
      scan = database.transaction(() => {
        const begun = store.begin({ protectedDomains, trigger });
        const shown = protectedDomains.slice(0, auditedDomainsMax);
        if (by !== undefined) auditLog.record(by, "scan.start", begun.id, { domains: shown, limit });
        return begun;
      });
    } catch (error) {
      held.release();
      throw error;
    }
    const { id } = scan;
    const running: Running = {
      id,
      cancelling: new AbortController(),
      counts: scan,
      lookingUpSince: undefined,
    };
    current = running;
    const ended = carryOut(running, targets, options).finally(() => {
      current = undefined;
      held.release();
    });
    running.ended = ended.catch((error: unknown) =>
      logDropped(log, error, "the end of a scan could not be recorded"),
    );
    return { scan, ended };
  }

  /** Rejects only where the database cannot be written. */
  async function carryOut(running: Running, targets: ProtectedDomain[], options: ScanOptions): Promise<Scan> {
    const { id, cancelling } = running;
    const { limit, signal } = options;
    const cancel = () => cancelling.abort();
    for (const each of [signal, stopping.signal]) {
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
        if (counts.candidates > 0) running.lookingUpSince ??= clock.now();
        options.onProgress?.(counts);
      },
    };
    try {
      await runScan(dependencies, { id, store, targets, limit, cancelling, watcher });
      return store.close(id, cancelling.signal.aborted ? "cancelled" : "completed");
    } catch (error) {
      if (!(error instanceof ScanError)) logDropped(log, error, "a scan broke off");
      return store.close(id, "failed", error instanceof ScanError ? error.message : "an internal error");
    } finally {
      signal?.removeEventListener("abort", cancel);
      stopping.signal.removeEventListener("abort", cancel);
    }
  }

  const run = async (options: ScanOptions): Promise<Scan> => begin(options).ended;

  async function runOnSchedule(): Promise<void> {
    try {
      const { id, status, error, candidates, resolving, threatsCreated } = await run({ trigger: "schedule" });
      const level = status === "failed" ? "warn" : "info";
      const advice = status === "failed" ? { advice: adviceOffline } : {};
      log[level](
        { scan: id, status, error, ...advice, candidates, resolving, created: threatsCreated },
        "a scan ended",
      );
    } catch (error) {
      // No domain to scan, or somebody scans already: the next one comes by itself.
      log.warn({ why: messageOf(error) }, "the scheduled scan did not begin");
    }
  }

  return {
    start() {
      if (store.running().length > 0) closeLeftOpenUnlessHeld();
      if (pattern !== null) schedule = every({ clock, pattern, run: runOnSchedule });
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
    cancel: (id, by) =>
      database.transaction(() => {
        if (current?.id === id) current.cancelling.abort();
        const runs = store.requestCancel(id);
        if (runs && by !== undefined) auditLog.record(by, "scan.cancel", id);
        return runs;
      }),
    running: () => store.running()[0],
    get: store.get,
    list: store.list,
    totals: store.totals,
    checkResolvers: () => dependencies.dns.checkResolvers(),
  };
}

const adviceOffline = 'where there is no internet, set scan.schedule = ""';

function runningText(scan: Scan | undefined): string {
  // Another process may have taken the lock and not yet written its scan.
  if (scan === undefined) return "a scan is running already; wait for its end";
  const { trigger, startedAt, planned, candidates } = scan;
  const by = { schedule: "the schedule", console: "the console", cli: "the command line" }[trigger];
  const part = planned === 0 ? "" : `, ${Math.floor((candidates / planned) * 100)} % done`;
  return `a scan is running already, begun by ${by} at ${toIsoTime(startedAt)}${part}; wait for its end or cancel it`;
}
