import { delay, systemClock, type Instant } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import type { Needs } from "../../lib/needs.ts";
import type { QuickCheck, StartedCheck } from "../files/state-file.ts";
import { isDamage, type ErrorsSeen } from "./errors-seen.ts";
import { openFileThread, type FileThread } from "../files/file-worker.ts";
import { compareIndexes } from "./index-comparison.ts";

/**
 * Checks of the whole file in another thread: SQLite's `quick_check` of all pages, which takes about a second for a million
 * threats, and then a comparison of all indexes with their tables in slices.
 */
export type FileChecks = ReturnType<typeof createFileChecks>;

/** Without a change for this long, the process counts as idle. */
export const idleMs = 30_000;
const hourMs = 3_600_000;
/** With the time that a check takes, each file is checked completely once a day. */
const intervalMs = 20 * hourMs;
/** Where the process is never idle, the file is checked under load. */
const intervalMsMax = 23 * hourMs;
/** Pause between two checks while something is wrong, or if a check could not be completed. */
const recheckMs = 10 * 60_000;
const sliceMs = 20;
/**
 * Pause after a slice, as a multiple of its time: other work gets most of the disk and of the processor. A low priority of
 * the thread would have the opposite effect, because it would hold locks of SQLite for longer that all threads share.
 */
const pauseFactor = 3;

interface FileChecksOptions extends Needs<"clock" | "log"> {
  path: string;
  errors: ErrorsSeen;
  idleForMs: () => number;
  /** Whether the file is no longer the one that the server has opened. */
  isStopped: () => boolean;
  /** Last check before the start. */
  last: QuickCheck | null;
  /** Check that the previous server had begun. */
  started: StartedCheck | null;
}

export function createFileChecks(options: FileChecksOptions) {
  const { path, clock, log, errors, idleForMs, isStopped } = options;
  let { last, started } = options;
  const openedAtMs = clock.monotonicMs();
  let thread: FileThread | undefined;
  const stop = new AbortController();
  /** Last check of this process, completed or not. */
  let attemptedAtMs = -Infinity;

  /** Returns Infinity for a time in the future, after the clock was set back. */
  const msSince = (at: Instant) => (at > clock.now() ? Infinity : clock.now() - at);
  const isSuspect = () => errors.standing("damage") !== undefined || (last !== null && last.result !== "ok");

  async function check({ query }: FileThread): Promise<string | undefined> {
    if (started === null || msSince(started.at) >= intervalMs || isSuspect()) {
      started = { at: clock.now(), position: null };
      const [[pages] = []] = await query("PRAGMA quick_check(1)");
      if (pages !== "ok") return inOneLine(String(pages));
    }
    const begun = started;
    return compareIndexes({
      query,
      from: begun.position,
      sliceMs,
      elapsedMs: () => performance.now(),
      async next(position, elapsedMs) {
        started = { ...begun, position };
        if (!isSuspect()) await delay(systemClock, elapsedMs * pauseFactor, stop.signal);
        return !stop.signal.aborted && !isStopped();
      },
    });
  }

  function conclude(result: string): void {
    const at = started?.at ?? clock.now();
    started = null;
    // Another file, or other content, is at the path.
    if (isStopped()) return;
    last = { at, result };
    if (result === "ok") errors.checked(at);
    else log.event("database.damaged", { result });
  }

  return {
    isDue() {
      if (clock.monotonicMs() - attemptedAtMs < recheckMs) return false;
      if (errors.standing("damage") !== undefined || started !== null) return true;
      const isIdle = idleForMs() >= idleMs;
      if (last?.result !== "ok" && isIdle) return true;
      const ageMs = last === null ? clock.monotonicMs() - openedAtMs + intervalMs : msSince(last.at);
      return ageMs >= intervalMsMax || (ageMs >= intervalMs && isIdle);
    },
    async run() {
      attemptedAtMs = clock.monotonicMs();
      thread = openFileThread(path);
      try {
        const result = await check(thread);
        if (result !== undefined) conclude(result);
      } catch (error) {
        if (stop.signal.aborted) return;
        if (isDamage(error)) conclude(inOneLine(messageOf(error)));
        else log.event("database.check_failed", { reason: messageOf(error) });
      } finally {
        await thread.close();
        thread = undefined;
      }
    },
    cancel() {
      stop.abort();
      thread?.cancel();
    },

    /** Returns the last complete check. */
    last: () => last,

    /** Returns how far the present check is; null if none has been begun. */
    started: () => started,
  };
}

/** SQLite names the database in a line of its own. */
function inOneLine(result: string): string {
  return result.replace(/\s+/g, " ");
}
