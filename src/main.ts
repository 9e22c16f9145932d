import { availableParallelism } from "node:os";
import { isatty } from "node:tty";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { runCommandLine } from "./cli/program.ts";
import { suspendWithoutLock } from "./database/lock-holder.ts";
import { createOutput, type Terminal } from "./cli/terminal/terminal.ts";

/** Exit codes of a shell for a process that a signal ended. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

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
  // The executable contains one program, so its threads start at the same entry point.
  threads: { threads: availableParallelism(), startWorker: () => new Worker(Bun.main) },
};

if (isMainThread) {
  suspendWithoutLock();
  process.exit(await runCommandLine(process.argv.slice(2), terminal));
}
const { serveScreening } = await import("./sources/lists/screening-worker.ts");
serveScreening(parentPort!);
