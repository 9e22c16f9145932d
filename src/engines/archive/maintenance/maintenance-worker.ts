/** Maintains the archive in a worker thread, because sorting and compressing take long. */
import type { MessagePort } from "node:worker_threads";
import { replyOf, type StartArchiveThread, type ThreadReply, type TryLock } from "../archive.ts";
import { maintain, type MaintenanceResult, type MaintenanceTask } from "./maintain.ts";

type Reply = ThreadReply<MaintenanceResult>;

/** Replies to each task, which has to come after the reply to the one before. */
export function serveMaintenance(port: MessagePort, tryLock: TryLock): void {
  port.on("message", (task: MaintenanceTask) => {
    void replyOf(maintain(task, tryLock)).then((reply) => port.postMessage(reply));
  });
}

/**
 * Runs one maintenance in a thread of its own. The thread ends with it, which returns its memory.
 * @throws an error of the system, or of a thread that did not start
 */
export async function maintainInThread(
  task: MaintenanceTask,
  { startWorker, signal }: { startWorker: StartArchiveThread; signal: AbortSignal },
): Promise<MaintenanceResult> {
  const worker = startWorker("archive-maintenance");
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const stop = () => reject(new Error("the maintenance of the archive was stopped"));
  worker.on("message", (reply: Reply) => resolve(reply));
  worker.on("error", reject);
  worker.on("exit", () => reject(new Error("a worker thread exited early")));
  signal.addEventListener("abort", stop, { once: true });
  worker.postMessage(task);
  try {
    const reply = await promise;
    if ("error" in reply) throw new Error(reply.error);
    return reply.result;
  } finally {
    signal.removeEventListener("abort", stop);
    await worker.terminate();
  }
}
