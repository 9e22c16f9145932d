import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import type { Timer, Clock } from "../../../platform/lib/clock.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import type { SourceNeeds } from "../needs.ts";
import type { Source, SourceCheck } from "../source.ts";
import {
  certificateLogsOrigin,
  type BatchRecorder,
  createScreeningTables,
  type ScreeningTables,
} from "./batch-recorder.ts";
import type { PipelineConnection, PipelineEvents } from "../certificate-log-reading/connection.ts";
import type { FollowedLogs, LogListStatus } from "./followed-logs.ts";
import { createProgressKeeper, type ProgressKeeper } from "./progress-keeper.ts";
import { sourceStatusOf, statusOfLog, type CertificateLogStatus, type LiveLog } from "./status.ts";
import type { CertificateLog } from "../../../engines/certificate-transparency/log.ts";
import { backoffMs } from "../../../platform/lib/durations.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import { progressOfRow } from "./log-store.ts";
import type { Report } from "../certificate-log-reading/messages.ts";

/** Delay until the logs to follow are determined again, after an error. */
const retryMs = 60_000;

/** Follows the certificate logs, as one source. */
export interface CertificateLogs extends Source {
  /** Returns the followed logs, by operator and description. */
  logs(): CertificateLogStatus[];
  list(): LogListStatus;
  /** Resolves when everything that was reported is stored. */
  idle(): Promise<unknown>;
}

interface CertificateLogsDependencies extends SourceNeeds<"clock" | "database" | "log" | "pausing"> {
  /** Describes what is configured, for `phishwatch check`. */
  check: (logs: readonly CertificateLogStatus[], list: LogListStatus) => SourceCheck | Promise<SourceCheck>;
  connect: (events: PipelineEvents) => PipelineConnection;
  createRecorder: (tables: Pick<ScreeningTables, "versionOf">) => BatchRecorder;
  domains: Pick<ProtectedDomains, "matcher">;
  followed: FollowedLogs;
}

export function createCertificateLogs(dependencies: CertificateLogsDependencies): CertificateLogs {
  const { check, clock, connect, createRecorder, database, domains, followed, log, pausing } = dependencies;
  const tables = createScreeningTables(domains);
  const keeper = createProgressKeeper({ clock, database, log, recorder: createRecorder(tables) });
  const supervisor = createSupervisor({ clock, connect, keeper, log, retry: reconcile, tables });
  let isRunning = false;
  /** Aborts at the next pause. */
  let pauseSignal: AbortSignal | undefined;
  let later: Timer | undefined;

  /** Follows the logs that are wanted now; again later if that fails, for example because the database cannot be read. */
  function reconcile(): void {
    if (!isRunning) return;
    later?.cancel();
    try {
      followWanted();
    } catch (error) {
      logDropped(log, error, "certificate_log.not_determined");
      later = clock.after(retryMs, reconcile);
    }
  }

  function followWanted(): void {
    if (pausing.isPaused()) return;
    if (pauseSignal !== pausing.signal()) {
      pauseSignal = pausing.signal();
      pauseSignal.addEventListener("abort", () => void supervisor.disconnect(), { once: true });
    }
    supervisor.follow(followed.logs());
  }

  function logs(): CertificateLogStatus[] {
    const isPaused = pausing.isPaused();
    const now = clock.now();
    return followed
      .logs()
      .map((one) => {
        const { logId } = one;
        const [live, failure] = [supervisor.live(logId), keeper.failure(logId)];
        return statusOfLog(one, keeper.row(logId), { live, failure, now, isPaused });
      })
      .sort((a, b) => a.operator.localeCompare(b.operator) || a.description.localeCompare(b.description));
  }

  return {
    ...certificateLogsOrigin,
    declaredAs: "[certificate_logs]",
    pausing,
    logs,
    list: followed.status,
    idle: supervisor.idle,
    status: () =>
      sourceStatusOf(logs(), {
        name: certificateLogsOrigin.name,
        listProblem: followed.status().problem,
        isPaused: pausing.isPaused(),
      }),
    check: async () => check(logs(), followed.status()),
    start() {
      isRunning = true;
      keeper.load();
      pausing.onResume(reconcile);
      followed.start(reconcile);
      reconcile();
    },
    async stop() {
      isRunning = false;
      later?.cancel();
      await Promise.all([followed.stop(), supervisor.disconnect()]);
    },
  };
}

const waitMsMax = 60_000;
/** Wait before a log is read again whose entries could not be stored. */
const storeRetries = { firstMs: 5_000, maxMs: waitMsMax };
/** Wait before the thread is started again after it has failed. */
const restarts = { firstMs: 1_000, maxMs: waitMsMax };

/** Reports that are acknowledged once they are stored. */
type StoredReport = Extract<Report, { report: "batch" | "mismatch" }>;

interface Following extends LiveLog {
  log: CertificateLog;
  generation: number;
  /** Resolves when the reports so far are stored. */
  stored: Promise<void>;
}

const notReported: LiveLog = { head: null, isComplete: false, failure: null };

interface SupervisorDependencies extends Pick<CertificateLogsDependencies, "clock" | "connect" | "log"> {
  keeper: ProgressKeeper;
  /** Calls `follow` again, with the logs that are wanted then. */
  retry: () => void;
  tables: ScreeningTables;
}

/** Keeps a pipeline running that follows the logs, and stores what it reports. */
function createSupervisor(dependencies: SupervisorDependencies) {
  const { clock, connect, keeper, log, retry, tables } = dependencies;
  const following = new Map<string, Following>();
  const retries = createRetries(clock, retry);
  let connection: PipelineConnection | undefined;
  let disconnecting: Promise<unknown> | undefined;
  let generations = 0;
  /** Since entries were last stored. */
  let failures = 0;
  const allStored = () => Promise.all([...following.values()].map(({ stored }) => stored));
  function begin(one: CertificateLog): void {
    const generation = ++generations;
    following.set(one.logId, { ...notReported, log: one, generation, stored: Promise.resolve() });
    const progress = progressOfRow(keeper.row(one.logId));
    connection!.send({ do: "follow", log: one, generation, progress });
  }

  function end(logId: string): void {
    following.delete(logId);
    connection?.send({ do: "unfollow", logId });
  }

  function onReport(report: Report): void {
    const live = following.get(report.logId);
    if (live?.generation !== report.generation) return;
    if (report.report === "head") live.head = { size: report.size, at: report.at };
    else if (report.report === "success") note(keeper, live, null);
    else if (report.report === "failure") note(keeper, live, report.message);
    else if (report.report === "end") live.stored = live.stored.then(() => void (live.isComplete = true));
    else live.stored = live.stored.then(() => store(live, report));
  }

  /** Never rejects. */
  async function store(live: Following, report: StoredReport): Promise<void> {
    const { logId } = live.log;
    const isCurrent = () => following.get(logId) === live;
    if (!isCurrent()) return;
    try {
      if (report.report === "batch") await keeper.storeBatch(live.log, report.batch);
      else await keeper.storeMismatch(live.log, report);
      failures = 0;
      tables.update();
      connection?.send({ do: "acknowledge", logId, generation: live.generation });
    } catch (error) {
      if (!isCurrent()) return;
      logDropped(log, error, "certificate_log.entries_not_stored");
      note(keeper, live, messageOf(error));
      end(logId);
      retries.after(backoffMs({ failures: ++failures, ...storeRetries }));
    }
  }

  function onFailure(error: unknown): void {
    logDropped(log, error, "certificate_log.thread_failed");
    connection = undefined;
    // The next thread continues after everything that is being stored now.
    void retries.afterAll(allStored(), backoffMs({ failures: ++failures, ...restarts }));
    following.clear();
  }

  return {
    /** Follows exactly these logs. */
    follow(logs: readonly CertificateLog[]): void {
      // The next pipeline continues after everything that is being stored now.
      if (disconnecting !== undefined) return;
      const { others, changed } = compare(following, logs);
      for (const one of [...others, ...changed]) end(one.log.logId);
      if (changed.length > 0) void retries.afterAll(Promise.all(changed.map(({ stored }) => stored)), 0);
      if (connection === undefined && logs.length > 0) {
        connection = tryConnect(connect, { onReport, onFailure });
        if (connection === undefined) return;
        tables.sendTo(connection);
      }
      const isKnown = new Set([...following.values(), ...changed].map(({ log: known }) => known.logId));
      for (const one of logs) if (!isKnown.has(one.logId)) begin(one);
    },
    /** Ends the pipeline. Resolves when everything is stored that can be. */
    async disconnect(): Promise<void> {
      retries.cancel();
      const stored = Promise.all([disconnecting, connection?.end(), allStored()]);
      connection = undefined;
      tables.sendTo(undefined);
      following.clear();
      disconnecting = stored;
      await stored;
      if (disconnecting !== stored) return;
      disconnecting = undefined;
      // A pause may have ended before everything was stored.
      retry();
    },
    live: (logId: string): LiveLog | undefined => following.get(logId),
    /** Resolves when everything that was reported is stored. */
    idle: allStored,
  };
}

function note(keeper: ProgressKeeper, live: Following, failure: string | null): void {
  live.failure = failure;
  if (failure === null) keeper.noteSuccess(live.log);
  else keeper.noteFailure(live.log, failure);
}

/** Starting a thread can fail, for example because too many files are open. */
function tryConnect(
  connect: SupervisorDependencies["connect"],
  events: PipelineEvents,
): PipelineConnection | undefined {
  try {
    return connect(events);
  } catch (error) {
    events.onFailure(error);
    return undefined;
  }
}

/** Returns which of the logs that are followed are not wanted any more, and which are described differently. */
function compare(following: ReadonlyMap<string, Following>, logs: readonly CertificateLog[]) {
  const wanted = new Map(logs.map((one) => [one.logId, JSON.stringify(one)]));
  const known = [...following.values()];
  return {
    others: known.filter(({ log }) => !wanted.has(log.logId)),
    changed: known.filter(
      ({ log }) => wanted.has(log.logId) && wanted.get(log.logId) !== JSON.stringify(log),
    ),
  };
}

/** Calls `retry` after delays. */
function createRetries(clock: Clock, retry: () => void) {
  const timers = new Set<Timer>();
  let cancellations = 0;
  function after(delayMs: number): void {
    const timer = clock.after(delayMs, () => {
      timers.delete(timer);
      retry();
    });
    timers.add(timer);
  }
  return {
    after,
    /** Waits for `first` before the delay. */
    async afterAll(first: Promise<unknown>, delayMs: number): Promise<void> {
      const before = cancellations;
      await first;
      if (cancellations === before) after(delayMs);
    },
    cancel(): void {
      cancellations++;
      for (const timer of timers) timer.cancel();
      timers.clear();
    },
  };
}
