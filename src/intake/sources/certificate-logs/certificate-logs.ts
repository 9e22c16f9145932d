import type { Needs } from "../../../platform/database/needs.ts";
import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import type { Timer } from "../../../platform/lib/clock.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import type { SourcePausing } from "../pauses/source-pauses.ts";
import type { Source, SourceCheck } from "../source.ts";
import { certificateLogsOrigin, type BatchRecorder } from "./batch-recorder.ts";
import type { PipelineConnection, PipelineEvents } from "../certificate-log-reading/connection.ts";
import type { FollowedLogs, LogListStatus } from "./followed-logs.ts";
import { createProgressKeeper } from "./progress-keeper.ts";
import { createScreeningTables, type ScreeningTables } from "./screening-tables.ts";
import { sourceStatusOf, statusOfLog, type CertificateLogStatus } from "./status.ts";
import { createSupervisor } from "./supervisor.ts";

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

interface CertificateLogsDependencies extends Needs<"clock" | "database" | "log"> {
  /** Describes what is configured, for `phishwatch check`. */
  check: (logs: readonly CertificateLogStatus[], list: LogListStatus) => SourceCheck | Promise<SourceCheck>;
  connect: (events: PipelineEvents) => PipelineConnection;
  createRecorder: (tables: Pick<ScreeningTables, "versionOf">) => BatchRecorder;
  domains: Pick<ProtectedDomains, "matcher">;
  followed: FollowedLogs;
  pausing: SourcePausing;
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
