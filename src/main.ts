import { availableParallelism } from "node:os";
import { isatty } from "node:tty";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { runCommandLine } from "./cli/program.ts";
import { suspendWithoutLock } from "./database/lock-holder.ts";
import { createOutput, type Terminal } from "./cli/terminal/terminal.ts";
import { requireDescriptorsOfThread } from "./network/descriptors.ts";
import { systemClock } from "./lib/clock.ts";
import { replacedLists, replaceLists } from "./lib/lists/list-texts.ts";
import type { StartWorker, ThreadData, ThreadTask } from "./vocabulary/threads.ts";

/** Exit codes of a shell for a process that a signal ended. */
const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Starts a thread. The executable contains one program, so its threads start at the same entry point.
 * @throws an error of the system if too few files can be opened
 */
const startWorker: StartWorker = (task = "screening") => {
  requireDescriptorsOfThread();
  const data: ThreadData = { task, lists: replacedLists() };
  // A smaller heap: the thread that reads certificate logs runs all the time, and most of its data are buffers.
  const options = { workerData: data, smol: task === "certificate-logs" };
  return new Worker(Bun.main, options);
};

const memoryVariable = "BUN_JSC_forceRAMSize";

let interrupted: AbortController | undefined;

const terminal: Terminal = {
  out: createOutput(1, process.stdout, { held: true, needed: true }),
  err: createOutput(2, process.stderr, { held: false, needed: false }),
  inputIsTerminal: isatty(0),
  env: process.env,
  interruption() {
    if (interrupted !== undefined) return interrupted.signal;
    const controller = new AbortController();
    interrupted = controller;
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.on(signal, () => {
        if (controller.signal.aborted) process.exit(exitCodes[signal]);
        controller.abort();
      });
    }
    return controller.signal;
  },
  onReloadRequest(listener) {
    // On Windows, it means that the window was closed.
    if (process.platform === "win32") return;
    const hasTerminal = isatty(0);
    process.on("SIGHUP", () => {
      if (!hasTerminal || isatty(0)) listener();
      else if (interrupted === undefined) process.exit(exitCodes.SIGHUP);
      else interrupted.abort();
    });
  },
  assumeMemory,
  threads: { threads: availableParallelism(), startWorker },
};

if (isMainThread) {
  suspendWithoutLock();
  process.exit(await runCommandLine(process.argv.slice(2), terminal));
}

/** See `Terminal`. The runtime reads the variable only when a process starts, so this starts it again. */
function assumeMemory(bytes: number): void {
  if (process.env[memoryVariable] !== undefined || process.execve === undefined) return;
  const isExecutable = Bun.main.startsWith("/$bunfs/");
  const own = isExecutable ? process.argv.slice(2) : [...process.execArgv, ...process.argv.slice(1)];
  try {
    const environment = { ...process.env, [memoryVariable]: String(bytes) };
    process.execve(process.execPath, [process.execPath, ...own], environment);
  } catch {
    // The server works without it, and needs more memory.
  }
}

/** Loads the code of each task only where it runs. */
const serve: Record<ThreadTask, () => Promise<void>> = {
  async screening() {
    const { serveScreening } = await import("./sources/lists/screening-worker.ts");
    serveScreening(parentPort!);
  },
  async "archive-maintenance"() {
    const { serveMaintenance } = await import("./archive/maintenance/maintenance-worker.ts");
    serveMaintenance(parentPort!);
  },
  async "archive-search"() {
    const { serveSearch } = await import("./archive/search/search-worker.ts");
    serveSearch(parentPort!);
  },
  async "certificate-logs"() {
    const { serveCertificateLogs } = await import("./sources/certificate-log-reading/connection.ts");
    serveCertificateLogs(parentPort!, { clock: systemClock, random: Math.random });
  },
  async inspection() {
    const { serveInspection } = await import("./inspection/inspector/inspection-thread.ts");
    serveInspection(parentPort!, systemClock);
  },
  async backup() {
    const { serveBackup } = await import("./backups/running/backup-thread.ts");
    serveBackup(parentPort!, systemClock);
  },
};
const { task = "screening", lists = {} } = (workerData ?? {}) as Partial<ThreadData>;
replaceLists(lists);
await serve[task]();
