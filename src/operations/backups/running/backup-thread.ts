/** Makes a backup in a worker thread: reading, hashing and compressing take seconds to minutes. */
import type { MessagePort } from "node:worker_threads";
import type { Clock } from "../../../platform/lib/clock.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import type { Reply } from "./in-thread.ts";
import { runBackup, type BackupTask } from "./run-backup.ts";

/** Makes one backup for each message. The message `stop` ends the one in progress. */
export function serveBackup(port: MessagePort, clock: Clock): void {
  const stopping = new AbortController();
  const fillRandom = (bytes: Uint8Array) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
  port.on("message", (task: BackupTask | "stop") => {
    if (task === "stop") return stopping.abort(new Error("phishwatch was stopped"));
    const reply = runBackup(task, { clock, fillRandom, signal: stopping.signal }).then(
      (made): Reply => ({ made }),
      (error: unknown): Reply => ({ error: messageOf(error) }),
    );
    void reply.then((message) => port.postMessage(message));
  });
}
