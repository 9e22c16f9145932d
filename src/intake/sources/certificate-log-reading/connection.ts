/** Connects the server's thread with the pipeline, which runs in a thread of its own if threads can be started. */
import type { MessagePort } from "node:worker_threads";
import {
  createLogReaders,
  type LogReaders,
} from "../../../engines/certificate-transparency/reading/log-readers.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import { yieldToOtherThreads } from "../../../platform/service/thread-priority.ts";
import { createSystemResolver } from "../../../platform/network/dns/resolve-with-system.ts";
import type { StartWorker } from "../../../platform/vocabulary/threads.ts";
import type { FollowSettings, Instruction, Report } from "./messages.ts";
import { createPipeline } from "./pipeline.ts";

/** Configuration of a pipeline, sent before the first instruction. */
export interface PipelineSetup {
  settings: FollowSettings;
  userAgent: string;
  /** Rates that replace the built-in ones. */
  rates: readonly { operator: string; requestsPerSecond: number }[];
}

export interface PipelineConnection {
  send(instruction: Instruction): void;
  /** Ends the pipeline. Reports that are in flight are lost, and their entries are read again. */
  end(): Promise<void>;
}

export interface PipelineEvents {
  onReport: (report: Report) => void;
  /** The thread has failed. Nothing that was not acknowledged is stored. */
  onFailure: (error: unknown) => void;
}

/** Starts a pipeline in a thread of its own. Throws an error of the system if no thread can be started. */
export function connectThread(
  setup: PipelineSetup,
  { startWorker, onReport, onFailure }: PipelineEvents & { startWorker: StartWorker },
): PipelineConnection {
  const worker = startWorker("certificate-logs");
  let ended = false;
  const fail = (error: unknown) => {
    if (ended) return;
    ended = true;
    onFailure(error);
  };
  worker.on("message", onReport);
  worker.on("error", fail);
  worker.on("exit", (code) =>
    fail(new Error(`the thread that reads certificate logs exited with code ${code}`)),
  );
  worker.postMessage(setup);
  return {
    send: (instruction) => worker.postMessage(instruction),
    async end() {
      ended = true;
      await worker.terminate();
    },
  };
}

/** Starts a pipeline in this thread. */
export function connectHere(
  setup: PipelineSetup,
  {
    clock,
    random,
    onReport,
    reclaimMemory,
    readers = createLogReaders({ ...setup, clock, random, resolveHost: createSystemResolver({ clock }) }),
  }: Pick<PipelineEvents, "onReport"> & {
    clock: Clock;
    random: () => number;
    reclaimMemory?: () => void;
    readers?: LogReaders | undefined;
  },
): PipelineConnection {
  const pipeline = createPipeline({
    settings: setup.settings,
    clock,
    random,
    openReader: readers.open,
    pollMs: readers.pollMs,
    report: onReport,
    reclaimMemory,
  });
  return {
    send: pipeline.receive,
    async end() {
      await pipeline.stop();
      readers.close();
    },
  };
}

/** Runs a pipeline in this thread on behalf of `connectThread`. */
export function serveCertificateLogs(
  port: MessagePort,
  { clock, random }: { clock: Clock; random: () => number },
): void {
  let connection: PipelineConnection | undefined;
  yieldToOtherThreads();
  port.on("message", (message: PipelineSetup | Instruction) => {
    if ("do" in message) connection?.send(message);
    else
      connection = connectHere(message, {
        clock,
        random,
        onReport: (report) => post(port, report),
        // This thread has a small heap, and nothing else to do.
        reclaimMemory: () => Bun.gc(true),
      });
  });
}

function post(port: MessagePort, report: Report): void {
  // The names are moved instead of copied.
  port.postMessage(report, report.report === "batch" ? [report.batch.names.buffer] : []);
}
