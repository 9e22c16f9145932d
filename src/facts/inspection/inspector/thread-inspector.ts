import type { Worker } from "node:worker_threads";
import type { Clock } from "../../../platform/lib/clock.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import type { Browser } from "../../lookups/browser/chromium.ts";
import type { StartWorker } from "../../../platform/vocabulary/threads.ts";
import type { BrandSource } from "../model/verdict.ts";
import type { InspectionResult, InspectionTarget, Inspector } from "../model/inspector.ts";
import { createBrandFeed } from "./brand-feed.ts";
import type { Instruction, Report, ThreadSettings } from "./messages.ts";

/** Time without an inspection after which the thread ends, and with it its memory. */
const idleMsDefault = 60_000;
/** Interval at which a running thread is checked. */
const watchMs = 10_000;
/** A thread that is silent for this long is stuck: each piece of its work takes milliseconds. */
const stuckMs = 25_000;
/** A page that ends the thread is not inspected a third time. */
const attemptsMax = 2;
const crashed = "the thread that inspects pages failed";

interface Pending {
  target: InspectionTarget;
  attempts: number;
  resolve(result: InspectionResult): void;
  reject(error: unknown): void;
}

interface ThreadInspectorDependencies {
  brands: BrandSource;
  browser: Browser | undefined;
  clock: Clock;
  /** Returns the present configuration; a change of it restarts the thread. */
  settings: () => ThreadSettings;
  startWorker: StartWorker;
  idleMs?: number;
}

/**
 * Inspects pages in a thread of its own, which starts with the first inspection and ends when it is idle. A thread that
 * fails is replaced, and its inspections are repeated once.
 */
export function createThreadInspector(dependencies: ThreadInspectorDependencies): Inspector {
  const pending = new Map<number, Pending>();
  const threads = createThreads({ ...dependencies, onFailure, onReport });
  let lastId = 0;
  let isClosed = false;

  function onReport(message: Extract<Report, { id: number }>): void {
    const found = pending.get(message.id);
    if (found === undefined) return;
    if (message.report === "waits for browser") return found.target.onBrowser?.();
    pending.delete(message.id);
    if (message.report === "result") found.resolve(message.result);
    else found.resolve({ ok: false, reason: `${crashed}: ${message.message}` });
    if (pending.size === 0) threads.endLater();
  }

  function onFailure(error: unknown): void {
    for (const [id, inspection] of pending) {
      if (inspection.attempts < attemptsMax && !isClosed) continue;
      pending.delete(id);
      inspection.resolve({ ok: false, reason: `${crashed}: ${messageOf(error)}` });
    }
    for (const id of pending.keys()) void begin(id);
  }

  /** Sends an inspection to the thread, which is started if there is none. */
  async function begin(id: number): Promise<void> {
    const inspection = pending.get(id)!;
    inspection.attempts += 1;
    try {
      const current = threads.current({ isBusy: pending.size > 1 });
      await current.ready();
      // Meanwhile, it may have been given up, or the thread may have failed, which began it again.
      const { onBrowser: _, ...target } = inspection.target;
      if (pending.has(id) && !current.hasEnded) current.send({ do: "inspect", id, target });
    } catch (error) {
      pending.delete(id);
      inspection.resolve({ ok: false, reason: `no thread can be started: ${messageOf(error)}` });
    }
  }

  return {
    async inspect(target, signal) {
      signal.throwIfAborted();
      if (isClosed) throw new Error("the inspector is closed");
      lastId += 1;
      const id = lastId;
      const { promise, resolve, reject } = Promise.withResolvers<InspectionResult>();
      const giveUp = () => {
        if (!pending.delete(id)) return;
        threads.send({ do: "abort", id });
        reject(signal.reason as Error);
        if (pending.size === 0) threads.endLater();
      };
      signal.addEventListener("abort", giveUp, { once: true });
      pending.set(id, { target, attempts: 0, resolve, reject });
      void begin(id);
      try {
        return await promise;
      } finally {
        signal.removeEventListener("abort", giveUp);
      }
    },
    async close() {
      isClosed = true;
      for (const { reject } of pending.values()) reject(new Error("the inspector is closed"));
      pending.clear();
      await threads.end();
    },
  };
}

interface ThreadOptions extends Omit<ThreadInspectorDependencies, "idleMs" | "settings"> {
  onFailure: (error: unknown) => void;
  onReport: (message: Extract<Report, { id: number }>) => void;
}

/** Keeps one thread while there is work for it. */
function createThreads(dependencies: ThreadOptions & ThreadInspectorDependencies) {
  const { idleMs = idleMsDefault, settings, ...options } = dependencies;
  let thread: Thread | undefined;
  let idle: { cancel(): void } | undefined;
  options.brands.onChange(() => thread?.forgetBrands());

  async function end(): Promise<void> {
    idle?.cancel();
    const ending = thread;
    thread = undefined;
    await ending?.end();
  }

  return {
    /**
     * Returns the thread, which is started if there is none.
     * @throws an error of the system if it cannot be started
     */
    current({ isBusy }: { isBusy: boolean }): Thread {
      idle?.cancel();
      const wanted = settings();
      const key = JSON.stringify(wanted);
      if (thread?.hasEnded === true || (thread?.key !== key && !isBusy)) void end();
      thread ??= startThread({ ...options, key, settings: wanted });
      return thread;
    },
    send: (instruction: Instruction) => thread?.send(instruction),
    endLater() {
      idle?.cancel();
      idle = options.clock.after(idleMs, () => void end());
    },
    end,
  };
}

type Thread = ReturnType<typeof startThread>;

function startThread(given: ThreadOptions & { key: string; settings: ThreadSettings }) {
  const { brands, browser, clock, key, onFailure, onReport, settings, startWorker } = given;
  const worker: Worker = startWorker("inspection");
  const rendering = new Map<number, AbortController>();
  let ended = false;
  const feed = createBrandFeed({
    brands,
    pass(read) {
      if (!ended) thread.send({ do: "set brands", brands: read });
    },
  });
  const thread = {
    /** Identifies the settings with which it was started. */
    key,
    get hasEnded(): boolean {
      return ended;
    },
    /** Resolves when it has the present brands. */
    ready: feed.ready,
    /** Notes that the brands have changed. */
    forgetBrands: feed.forget,
    send: (instruction: Instruction) => worker.postMessage(instruction),
    async end(): Promise<void> {
      ended = true;
      watch.cancel();
      stopRendering();
      await worker.terminate();
    },
  };

  function stopRendering(): void {
    for (const abort of rendering.values()) abort.abort(new Error("given up"));
  }

  async function render({ renderId, url, options }: Extract<Report, { report: "render" }>): Promise<void> {
    const abort = new AbortController();
    rendering.set(renderId, abort);
    const result = await browser!
      .takeScreenshot(url, abort.signal, options)
      .catch((error: unknown) => ({ ok: false as const, reason: messageOf(error) }));
    rendering.delete(renderId);
    if (!ended) thread.send({ do: "continue", renderId, result });
  }

  const fail = (error: unknown) => {
    if (ended) return;
    ended = true;
    watch.cancel();
    stopRendering();
    onFailure(error);
  };
  let heardMs = clock.monotonicMs();
  const check = () => {
    if (ended) return;
    if (clock.monotonicMs() - heardMs > stuckMs) {
      void worker.terminate();
      return fail(new Error(`no response within ${stuckMs / 1_000} s`));
    }
    thread.send({ do: "respond" });
    watch = clock.after(watchMs, check);
  };
  let watch = clock.after(watchMs, check);
  worker.on("message", (message: Report) => {
    if (ended) return;
    heardMs = clock.monotonicMs();
    if (message.report === "response") return;
    if (message.report === "render") void render(message);
    else if (message.report === "stop rendering")
      rendering.get(message.renderId)?.abort(new Error("given up"));
    else onReport(message);
  });
  worker.on("error", fail);
  worker.on("exit", (code) => fail(new Error(`exit code ${code}`)));
  thread.send({ do: "set up", settings });
  return thread;
}

const timeoutMs = 10_000;

/** Starts the thread that inspects pages and ends it when it responds. Returns why it does not; undefined: it does. */
export async function probeThread(
  startWorker: StartWorker,
  clock: Pick<Clock, "after">,
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let worker: Worker;
  try {
    worker = startWorker("inspection");
  } catch (error) {
    return messageOf(error);
  }
  const timer = clock.after(timeoutMs, () => resolve(`no response within ${timeoutMs / 1_000} s`));
  worker.on("message", () => resolve(undefined));
  worker.on("error", (error) => resolve(messageOf(error)));
  worker.on("exit", (code) => resolve(`exit code ${code}`));
  worker.postMessage({ do: "respond" } satisfies Instruction);
  try {
    return await promise;
  } finally {
    timer.cancel();
    await worker.terminate();
  }
}
