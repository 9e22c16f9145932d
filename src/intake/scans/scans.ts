import { system, type Actor } from "../../access/audit/actor.ts";
import type { Config } from "../../platform/config/config.ts";
import { tryLock, type Lock } from "../../platform/database/lock.ts";
import type { Needs } from "../../access/audit/needs.ts";
import type { ProtectedDomain, ProtectedDomains } from "../../threats/domains/domains.ts";
import type { Outbox } from "../../threats/events/outbox.ts";
import { toIsoTime } from "../../platform/lib/clock.ts";
import { badRequest, messageOf, notFound } from "../../platform/lib/errors.ts";
import { logDropped, type Log } from "../../platform/lib/log.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { everyConfigured, type Schedule, every } from "../../platform/lib/schedule.ts";
import type { DnsClient } from "../../platform/network/dns/dns-client.ts";
import type { OnConfigChange } from "../../platform/reload/live-config.ts";
import type { ScanTrigger } from "../../platform/vocabulary/scans.ts";
import { createExecution, logStart, type Running, type ScanOptions, logEnd } from "./execution.ts";
import { progressOf, type ScanProgress } from "./progress.ts";
import { createResolverHealth, type ResolverHealth } from "./resolver-health.ts";
import type { ScanDependencies } from "./run-scan.ts";
import { createScanStore, type ScanStore, type ScanTotals } from "./store.ts";
import type { Scan } from "./tables.ts";

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
  begin(options: ScanOptions): Promise<{ scan: Scan; ended: Promise<Scan> }>;
  /** Cancels a running scan of any process within a second. Returns whether the scan was running. */
  cancel(id: string, options: { by: Actor }): boolean;
  running(): Scan | undefined;
  /** Returns the progress of the running scan. */
  progress(): ScanProgress | undefined;
  get(id: string): Scan | undefined;
  /** Returns scans, newest first. */
  list(limit: number, offset?: number): Scan[];
  /** Returns the latest scan that completed or failed. */
  latestOutcome(): Scan | undefined;
  totals(): ScanTotals;
  /** Whether the configured resolvers can be trusted. */
  readonly resolverHealth: Pick<ResolverHealth, "check" | "latest">;
}

const outcomeLost = "scan.outcome_not_recorded";
/** Maximum number of protected domains in an audit entry. */
const recordedDomainsMax = 20;

interface ScansDependencies
  extends Omit<ScanDependencies, "dns" | "resolverHealth">, Needs<"auditLog" | "ids" | "log"> {
  dns: Pick<DnsClient, "checkResolvers" | "confirmDenials">;
  outbox: Outbox;
  config: Pick<Config, "detection" | "lookups" | "scan">;
  onConfigChange: OnConfigChange;
}

export function createScans(dependencies: ScansDependencies): Scans {
  const { outbox, ids, log, auditLog, onConfigChange, ...given } = dependencies;
  const { config, database, clock, dns, domains } = given;
  const isUsed = () => config.scan.schedule !== null || config.lookups.enabled;
  const resolverHealth = createResolverHealth({ clock, dns, isUsed, log });
  const store = createScanStore({ database, clock, ids, outbox });
  const execute = createExecution({ dependencies: { ...given, resolverHealth }, store, log });
  const stopping = new AbortController();
  let schedule: ReturnType<typeof everyConfigured> | undefined;
  let commands: Schedule | undefined;
  let current: Running | undefined;
  /** Set while the start of a scan is written. */
  let beginning: Promise<unknown> | undefined;
  const takeLock = () => ((current ?? beginning) ? undefined : tryLock(database.path, "scan.lock"));

  async function begin(options: ScanOptions): Promise<{ scan: Scan; ended: Promise<Scan> }> {
    const { trigger, by, limit = null } = options;
    const targets = selectTargets(domains, options.domains ?? []);
    const protectedDomains = targets.map(({ domain }) => domain);
    const lock = takeLock();
    if (lock === undefined) throw badRequest(alreadyRunningText(store.running()[0]));
    let scan: Scan;
    try {
      const writing = database.write(() => {
        closeAbandoned(store);
        const begun = store.begin({ protectedDomains, trigger });
        const detail = { domains: protectedDomains.slice(0, recordedDomainsMax), limit };
        // The list of scans shows scheduled ones; in the audit log they would only be noise.
        if (by.channel !== "system") auditLog.record(by, "scan.start", begun.id, detail);
        return begun;
      });
      beginning = writing;
      scan = await writing;
    } catch (error) {
      lock.release();
      throw error;
    } finally {
      beginning = undefined;
    }
    logStart(log, scan, limit);
    const running: Running = { id: scan.id, cancelling: new AbortController(), counts: scan };
    current = running;
    const ended = execute(running, { targets, options, stopping: stopping.signal }).finally(() => {
      current = undefined;
      lock.release();
    });
    running.ended = ended.catch((error: unknown) => logDropped(log, error, outcomeLost));
    return { scan, ended };
  }

  onConfigChange(() => {
    schedule?.update();
    resolverHealth.checkSoon();
  });

  const run = async (options: ScanOptions): Promise<Scan> => (await begin(options)).ended;

  return {
    start() {
      resolverHealth.start();
      const closeLeft = () => void closeAbandonedIfFree({ database, lock: takeLock(), log, store });
      if (store.running().length > 0) closeLeft();
      if (database.isShared) commands = watchCommandScans({ clock, log, store, closeLeft });
      const pattern = () => config.scan.schedule;
      schedule = everyConfigured({ clock, pattern, run: () => runOnSchedule(run, log) });
    },
    async stop() {
      schedule?.stop();
      commands?.stop();
      resolverHealth.stop();
      stopping.abort();
      // A failure to begin is reported to the caller who wanted to begin.
      await beginning?.catch(() => {});
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
    latestOutcome: store.latestOutcome,
    totals: store.totals,
    resolverHealth,
  };
}

function selectTargets(domains: ProtectedDomains, names: readonly string[]): ProtectedDomain[] {
  if (names.length === 0) {
    const enabled = domains.list().filter((domain) => domain.enabled);
    if (enabled.length === 0) throw badRequest("There is no protected domain; add one first.");
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
  const error = "the process that ran the scan ended";
  for (const { id } of store.running())
    store.close(id, { status: "failed", failure: "process_ended", error });
}

/** Closes abandoned scans unless another process runs one, which is when the lock was not available. */
async function closeAbandonedIfFree(
  options: Needs<"database" | "log"> & { lock: Lock | undefined; store: ScanStore },
): Promise<void> {
  const { database, lock, log, store } = options;
  if (lock === undefined) return;
  try {
    await database.write(() => closeAbandoned(store), { patient: true });
  } catch (error) {
    logDropped(log, error, "scan.ended_not_closed");
  } finally {
    lock.release();
  }
}

async function runOnSchedule(run: Scans["run"], log: Log): Promise<void> {
  try {
    await run({ trigger: "schedule", by: system });
  } catch (error) {
    // There is no protected domain, or another scan is running; the schedule continues.
    log.event("scan.not_started", { reason: messageOf(error) });
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

const everyFiveSeconds = "*/5 * * * * *";

/**
 * Logs start and end of the scans by command line, which other processes run. `closeLeft` is called while such a
 * scan is recorded as running: its process may have been killed.
 */
function watchCommandScans(
  options: Needs<"clock" | "log"> & { store: ScanStore; closeLeft: () => void },
): Schedule {
  const { clock, log, store, closeLeft } = options;
  let newest = store.list(1)[0]?.seq ?? 0;
  let open = store
    .running()
    .filter(({ trigger }) => trigger === "cli")
    .map(({ id }) => id);

  function run(): void {
    for (const scan of store.since(newest)) {
      newest = scan.seq;
      if (scan.trigger !== "cli") continue;
      logStart(log, scan);
      open.push(scan.id);
    }
    open = open.filter((id) => {
      const scan = store.get(id);
      if (scan?.status === "running") return true;
      if (scan !== undefined) logEnd(log, scan);
      return false;
    });
    if (open.length > 0) closeLeft();
  }

  return every({
    clock,
    pattern: everyFiveSeconds,
    run() {
      try {
        run();
      } catch (error) {
        logDropped(log, error, "scan.commands_not_checked");
      }
    },
  });
}
