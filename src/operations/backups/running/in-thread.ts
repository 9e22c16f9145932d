import type { StartWorker } from "../../../platform/vocabulary/threads.ts";
import type { MadeBackup } from "../making/make-backup.ts";
import type { BackupTask } from "./run-backup.ts";

/** Message of the thread after a backup. */
export type Reply = { made: MadeBackup } | { error: string };

/**
 * Makes a backup in a thread of its own, which ends with it.
 * @throws an error with the message of the thread
 */
export async function backUpInThread(
  task: BackupTask,
  { startWorker, signal }: { startWorker: StartWorker; signal: AbortSignal },
): Promise<MadeBackup> {
  const worker = startWorker("backup");
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const stop = () => worker.postMessage("stop");
  worker.on("message", (reply: Reply) => resolve(reply));
  worker.on("error", reject);
  worker.on("exit", () => reject(new Error("the thread of the backup exited early")));
  signal.addEventListener("abort", stop, { once: true });
  worker.postMessage(task);
  try {
    const reply = await promise;
    if ("error" in reply) throw new Error(reply.error);
    return reply.made;
  } finally {
    signal.removeEventListener("abort", stop);
    await worker.terminate();
  }
}
