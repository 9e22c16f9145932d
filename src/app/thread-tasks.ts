import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../platform/lib/clock.ts";
import { replaceLists } from "../platform/lib/lists/list-texts.ts";
import type { ThreadData, ThreadTask } from "../platform/vocabulary/threads.ts";

/** Loads the code of each task only where it runs. */
const serve: Record<ThreadTask, () => Promise<void>> = {
  async screening() {
    const { serveScreening } = await import("../intake/sources/name-files/screening-worker.ts");
    serveScreening(parentPort!);
  },
  async "archive-maintenance"() {
    const { serveMaintenance } = await import("../engines/archive/maintenance/maintenance-worker.ts");
    const { tryLock } = await import("../platform/database/lock.ts");
    serveMaintenance(parentPort!, tryLock);
  },
  async "archive-search"() {
    const { serveSearch } = await import("../engines/archive/search/search-worker.ts");
    serveSearch(parentPort!);
  },
  async "certificate-logs"() {
    const { serveCertificateLogs } = await import("../intake/sources/certificate-log-reading/connection.ts");
    serveCertificateLogs(parentPort!, { clock: systemClock, random: Math.random });
  },
  async inspection() {
    const { serveInspection } = await import("../facts/inspection/inspector/inspection-thread.ts");
    serveInspection(parentPort!, systemClock);
  },
  async backup() {
    const { serveBackup } = await import("../operations/backups/running/run-backup.ts");
    serveBackup(parentPort!, systemClock);
  },
  async decisions() {
    const { serveDecisions } = await import("../threats/threats/triage/decision-thread.ts");
    serveDecisions(parentPort!, systemClock);
  },
};

/** Runs the task for which this thread was started. */
export async function runThreadTask(): Promise<void> {
  const { task = "screening", lists = {} } = (workerData ?? {}) as Partial<ThreadData>;
  replaceLists(lists);
  await serve[task]();
}
