import type { Worker } from "node:worker_threads";
import type { CaseSettings } from "../../../platform/config/config.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import { DatabaseLockedError } from "../../../platform/database/write-queue.ts";
import type { Outbox } from "../../events/outbox.ts";
import { logDropped, type Log } from "../../../platform/lib/log.ts";
import type { StartWorker } from "../../../platform/vocabulary/threads.ts";
import { triageThreatsMax } from "./batches.ts";
import type { Triage } from "./triage.ts";

/** The methods of `Triage` that change threats, for a server: large decisions do not keep requests waiting. */
export type Decisions = {
  [Name in DecisionName]: (...args: Parameters<Triage[Name]>) => Promise<ReturnType<Triage[Name]>>;
} & {
  /** Ends the thread once it has carried out what was requested. Later decisions are carried out in this thread. */
  stop(): Promise<void>;
};

export type DecisionName = "change" | "changeStatus" | "undo";

/** Message to the thread. */
export interface DecisionTask {
  path: string;
  cases: CaseSettings;
  name: DecisionName;
  args: unknown[];
}

/** Message of the thread after each task. */
export type DecisionReply = { result: unknown } | { error: string; code: string | undefined };

/** Threats from which a decision is large. Each takes 100 to 300 µs in a database of a million threats. */
const largeMin = 50;
/** The thread keeps up to 64 MiB of the database in memory. */
const idleMs = 10_000;

/** @param startWorker starts the thread; absent: large decisions are carried out in this thread, too */
export function createDecisions({
  cases,
  database,
  log,
  outbox,
  startWorker,
  triage,
}: Needs<"database" | "log"> & {
  cases: CaseSettings;
  outbox: Pick<Outbox, "announce">;
  startWorker: StartWorker | undefined;
  triage: Triage;
}): Decisions {
  const thread =
    startWorker === undefined || !database.isShared ? undefined : createDecisionThread(startWorker, log);
  let isStopped = false;
  /** Resolves when the latest decision in the thread has ended; they are carried out in the order of the calls. */
  let last: Promise<unknown> = Promise.resolve();

  /** @param size number of threats */
  function decide<Name extends DecisionName>(
    name: Name,
    args: Parameters<Triage[Name]>,
    size: number,
  ): Promise<ReturnType<Triage[Name]>> {
    const here = triage[name] as (...values: unknown[]) => never;
    if (thread === undefined || isStopped || size < largeMin) return database.write(() => here(...args));
    const decided = database.writeInThread(async () => {
      const reply = await thread.run({ path: database.path, cases: { dueMs: cases.dueMs }, name, args });
      if (reply === undefined) return here(...args);
      if ("error" in reply) throw errorOf(reply);
      outbox.announce();
      return reply.result as ReturnType<Triage[Name]>;
    });
    last = decided.catch(() => {});
    return decided;
  }

  function errorOf({ error, code }: Extract<DecisionReply, { error: string }>): Error {
    if (code?.startsWith("SQLITE_BUSY")) return new DatabaseLockedError(database.lockIncident());
    return Object.assign(new Error(error), { code });
  }

  return {
    // More than the maximum is an error, which the thread could not throw as it is.
    change: (...args) => decide("change", args, args[0].length > triageThreatsMax ? 0 : args[0].length),
    changeStatus: (...args) => decide("changeStatus", args, args[0].length),
    undo: (...args) => decide("undo", args, triage.decision(args[0])?.threats ?? 0),
    async stop() {
      isStopped = true;
      await last;
      await thread?.stop();
    },
  };
}

/** Runs one task after another in a thread, which ends when it has been idle. */
function createDecisionThread(startWorker: StartWorker, log: Log) {
  let worker: Worker | undefined;
  let idle: ReturnType<typeof setTimeout> | undefined;

  function start(): Worker {
    const started = startWorker("decisions");
    // A running task reports both events; an idle thread has no listeners otherwise.
    started.on("error", () => {});
    started.once("exit", () => {
      if (worker === started) worker = undefined;
    });
    return started;
  }

  /** Ends the thread when it has closed its connection. */
  async function end(): Promise<void> {
    const ended = worker;
    worker = undefined;
    if (ended === undefined) return;
    const closed = replyOf(ended);
    ended.postMessage("close");
    await closed.catch(() => {});
    await ended.terminate();
  }

  return {
    /** Returns undefined if no thread can be started, for example because too many files are open. */
    async run(task: DecisionTask): Promise<DecisionReply | undefined> {
      clearTimeout(idle);
      try {
        worker ??= start();
      } catch (error) {
        logDropped(log, error, "database.decision_thread_not_started");
        return undefined;
      }
      const reply = replyOf(worker);
      worker.postMessage(task);
      try {
        return await reply;
      } catch (error) {
        // The next task starts another one.
        worker = undefined;
        throw error;
      } finally {
        idle = setTimeout(() => void end(), idleMs);
      }
    },
    stop(): Promise<void> {
      clearTimeout(idle);
      return end();
    },
  };
}

function replyOf(worker: Worker): Promise<DecisionReply> {
  const { promise, resolve, reject } = Promise.withResolvers<DecisionReply>();
  const fail = () => reject(new Error("the thread of the decisions exited early"));
  worker.once("message", resolve);
  worker.once("error", reject);
  worker.once("exit", fail);
  return promise.finally(() => {
    worker.off("message", resolve);
    worker.off("error", reject);
    worker.off("exit", fail);
  });
}
