import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { suspendWithoutLock } from "../platform/database/lock-watch.ts";
import { replacedLists } from "../platform/lib/lists/list-texts.ts";
import { requireDescriptorsOfThread } from "../platform/network/descriptors.ts";
import type { StartWorker, ThreadData } from "../platform/vocabulary/threads.ts";
import { runCommandLine } from "./program.ts";
import { createOutput, isTerminal, type RuntimeOption, type Terminal } from "./terminal/terminal.ts";

/** Exit codes of a shell for a process that a signal ended. */
const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

const runtimeVariables: Readonly<Record<RuntimeOption, string>> = {
  assumedMemoryBytes: "BUN_JSC_forceRAMSize",
  optimizationThreshold: "BUN_JSC_thresholdForFTLOptimizeAfterWarmUp",
};

/**
 * Runs the command that the arguments name, on the streams and signals of this process.
 * @param exit ends the process
 */
export async function runProcess(args: string[], exit: (code: number) => never): Promise<never> {
  suspendWithoutLock();
  return exit(await runCommandLine(args, openTerminal(exit)));
}

function openTerminal(exit: (code: number) => never): Terminal {
  let interrupted: AbortController | undefined;
  const handleSignals = () => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.on(signal, () => {
        if (interrupted === undefined || interrupted.signal.aborted) exit(exitCodes[signal]);
        interrupted.abort();
      });
    }
  };
  // Linux drops a signal to the first process of a container if there is no handler for it.
  const isFirst = process.pid === 1;
  if (isFirst) handleSignals();
  return {
    out: createOutput(1, () => process.stdout, { held: true, needed: true }),
    err: createOutput(2, () => process.stderr, { held: false, needed: false }),
    get inputIsTerminal() {
      return isTerminal(0);
    },
    env: process.env,
    interruption() {
      if (interrupted === undefined) {
        interrupted = new AbortController();
        if (!isFirst) handleSignals();
      }
      return interrupted.signal;
    },
    onReloadRequest(listener) {
      // On Windows, it means that the window was closed.
      if (process.platform === "win32") return;
      const hasTerminal = isTerminal(0);
      process.on("SIGHUP", () => {
        if (!hasTerminal || isTerminal(0)) listener();
        else if (interrupted === undefined) exit(exitCodes.SIGHUP);
        else interrupted.abort();
      });
    },
    setRuntimeOption,
    threads: { threads: availableParallelism(), startWorker },
  };
}

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

/** See `Terminal`. The runtime reads the variable only when a process starts, so this starts it again. */
function setRuntimeOption(option: RuntimeOption, value: number): void {
  const variable = runtimeVariables[option];
  if (process.env[variable] !== undefined || process.execve === undefined) return;
  const isExecutable = Bun.main.startsWith("/$bunfs/");
  const own = isExecutable ? process.argv.slice(2) : [...process.execArgv, ...process.argv.slice(1)];
  try {
    const environment = { ...process.env, [variable]: String(value) };
    process.execve(process.execPath, [process.execPath, ...own], environment);
  } catch {
    // The command works without it, and needs more memory or time.
  }
}
