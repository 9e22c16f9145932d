/** A thread that prefilters names. */
import type { Worker } from "node:worker_threads";
import type { ScreenedChunk, WholeLines } from "./screener.ts";
import type { ScreeningTask } from "./screening-worker.ts";

/** @param worker runs `serveScreening` */
export function startScreeningThread(worker: Worker, task: ScreeningTask) {
  const replies: PromiseWithResolvers<ScreenedChunk>[] = [];
  let ended: Error | undefined;
  worker.on("message", (screened: ScreenedChunk) => replies.shift()!.resolve(screened));
  const fail = (error: Error): void => {
    ended = error;
    for (const reply of replies.splice(0)) reply.reject(error);
  };
  worker.on("error", fail);
  worker.on("exit", () => fail(ended ?? new Error("a worker thread exited early")));
  worker.postMessage(task);
  return {
    /** Number of blocks that are in work or wait for it. */
    get waiting() {
      return replies.length;
    },

    /** Screens lines, whose buffer is transferred. Results arrive in the order of the calls. Rejects if the thread ends. */
    screen(lines: WholeLines) {
      const reply = Promise.withResolvers<ScreenedChunk>();
      // As a failure is reported when its turn comes, nothing may be awaiting it until then.
      reply.promise.catch(() => {});
      if (ended === undefined) {
        replies.push(reply);
        worker.postMessage(lines, [lines.bytes.buffer]);
      } else reply.reject(ended);
      return reply.promise;
    },
    end: async (): Promise<void> => void (await worker.terminate()),
  };
}
