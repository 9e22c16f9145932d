import type { Worker } from "node:worker_threads";
import type { Clock } from "../../../platform/lib/clock.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import type { StartWorker } from "../../../platform/vocabulary/threads.ts";
import type { Instruction } from "./messages.ts";

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
