import { join } from "node:path";
import { toIsoTime, type Instant } from "../../../src/platform/lib/clock.ts";
import { createLogSigner } from "../../../test/support/log-entries.ts";
import type { LogServerInstruction, LogServerReport } from "./messages.ts";

/** The process with the logs of a campaign. */
export interface Logs {
  /** Resolves when the instruction is done, with the state of the logs. */
  send(instruction: LogServerInstruction): Promise<LogServerReport>;
  stop(): Promise<void>;
}

export async function startLogs(): Promise<Logs> {
  const waiting: ((report: LogServerReport) => void)[] = [];
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "log-server-process.ts")], {
    ipc: (report: LogServerReport) => waiting.shift()?.(report),
    stdio: ["ignore", "inherit", "inherit"],
  });
  const end = () => child.kill("SIGKILL");
  process.on("exit", end);
  const exited = child.exited.then((code) => {
    throw new Error(`the log server exited with code ${code}`);
  });
  exited.catch(() => {});
  return {
    send(instruction) {
      const { promise, resolve } = Promise.withResolvers<LogServerReport>();
      waiting.push(resolve);
      child.send(instruction);
      return Promise.race([promise, exited]);
    },
    async stop() {
      process.off("exit", end);
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** Returns a log list with one log that retired long ago, so that only the declared logs are followed. */
export function emptyListText(now: Instant): string {
  const { key, logId } = createLogSigner();
  const state = { retired: { timestamp: toIsoTime(now) } };
  const log = { description: "retired", log_id: logId, key, url: "https://log.invalid/", state };
  return JSON.stringify({
    log_list_timestamp: toIsoTime(now),
    operators: [{ name: "Nobody", logs: [log], tiled_logs: [] }],
  });
}
