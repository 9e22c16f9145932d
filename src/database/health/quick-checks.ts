import type { Clock, Instant } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import type { Log } from "../../lib/log.ts";
import type { ErrorsSeen } from "./errors-seen.ts";
import { startFileTask, type FileTask } from "./file-worker.ts";
import type { QuickCheck } from "../files/state-file.ts";

/** Checks of the whole file with SQLite's `quick_check`, in another thread. */
export interface QuickChecks {
  isDue(): boolean;
  run(): Promise<void>;
  cancel(): void;
  last(): QuickCheck | null;
}

/** Without a change for this long, the process counts as idle. */
export const idleMs = 30_000;
const hourMs = 3_600_000;
const intervalMs = 24 * hourMs;
/** Where the process is never idle, the file is checked under load. */
const intervalMsMax = 7 * 24 * hourMs;
/** Pause between two checks while something is wrong, or if a check could not be completed. */
const recheckMs = 10 * 60_000;

export function createQuickChecks({
  path,
  clock,
  log,
  errors,
  idleForMs,
  last,
}: {
  path: string;
  clock: Clock;
  log: Log;
  errors: ErrorsSeen;
  idleForMs: () => number;
  /** Last check before the start. */
  last: QuickCheck | null;
}): QuickChecks {
  let task: FileTask | undefined;
  let cancelled = false;
  /** Last check of this process, completed or not. */
  let attemptedAtMs = -Infinity;

  /** Returns Infinity for a time that is not known. A time in the future, after the clock was set back, is none. */
  function msSince(at: Instant | undefined): number {
    return at === undefined || at > clock.now() ? Infinity : clock.now() - at;
  }

  return {
    isDue() {
      if (clock.monotonicMs() - attemptedAtMs < recheckMs) return false;
      if (errors.standing("damage") !== undefined) return true;
      const sinceMs = msSince(last?.at);
      if (last !== null && sinceMs >= intervalMsMax) return true;
      return (last?.result !== "ok" || sinceMs >= intervalMs) && idleForMs() >= idleMs;
    },
    async run() {
      const startedAt = clock.now();
      attemptedAtMs = clock.monotonicMs();
      task = startFileTask(path, "PRAGMA quick_check(1)");
      try {
        last = { at: startedAt, result: inOneLine(String(await task.result)) };
        if (last.result === "ok") errors.checked(startedAt);
        else log.event("database.damaged", { result: last.result });
      } catch (error) {
        // The file cannot be read as a database. Nothing is known to be good.
        if (!cancelled) log.event("database.check_failed", { reason: messageOf(error) });
      } finally {
        task = undefined;
      }
    },
    cancel() {
      cancelled = true;
      task?.cancel();
    },
    last: () => last,
  };
}

/** SQLite names the database in a line of its own. */
function inOneLine(result: string): string {
  return result.replace(/\s+/g, " ");
}
