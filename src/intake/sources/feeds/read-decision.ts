import type { Instant } from "../../../platform/lib/clock.ts";
import type { FeedFile } from "./tables.ts";

/** State of a file at one check. */
export interface FileState {
  bytes: number;
  modifiedAt: Instant;
}

/** State of a file at the last check, and since when it has been that way and known, in monotonic milliseconds. */
export interface Watched extends FileState {
  unchangedSinceMs: number;
  firstSeenMs: number;
}

/** Time of a check: `now` to compare with times of files, `nowMs` with earlier checks, however the clock is set. */
export interface CheckTime {
  now: Instant;
  nowMs: number;
}

export type Decision =
  /** The file was read to its end, or is faulty and has not changed. */
  | { do: "nothing" }
  /** The file may still be being written. */
  | { do: "wait" }
  | ReadDecision;

export type ReadDecision =
  | { do: "read"; from: "start" | "position"; toEnd: boolean }
  /** Resume if the file was appended to. Otherwise read it from its start, but only if `restart` is set. */
  | { do: "compare"; toEnd: boolean; restart: boolean };

/** A file that has not changed for this long is complete. */
export const settledMs = 2_000;
/** A file whose last change is this old was moved here as a whole. */
const writtenMs = 10_000;
/** A file that keeps changing for this long is read while it grows. */
const growingMs = 30_000;

/**
 * Decides what to do with a file of a feed.
 * @param known progress in the file; undefined if it was never read.
 */
export function decide(known: FeedFile | undefined, watched: Watched, { now, nowMs }: CheckTime): Decision {
  const settled = nowMs - watched.unchangedSinceMs >= settledMs || now - watched.modifiedAt >= writtenMs;
  const growing = nowMs - watched.firstSeenMs >= growingMs;
  if (known === undefined) {
    if (settled) return { do: "read", from: "start", toEnd: true };
    return growing ? { do: "read", from: "start", toEnd: false } : { do: "wait" };
  }
  if (known.bytes === watched.bytes && known.modifiedAt === watched.modifiedAt) {
    if (known.completedAt !== null || known.error !== null) return { do: "nothing" };
    return settled ? { do: "read", from: "position", toEnd: true } : { do: "wait" };
  }
  if (watched.bytes > known.bytes && known.fingerprint !== null)
    return { do: "compare", toEnd: settled, restart: settled };
  return settled ? { do: "read", from: "start", toEnd: true } : { do: "wait" };
}

/** Updates what is known of a file with its present state. */
export function watch(before: Watched | undefined, file: FileState, nowMs: number): Watched {
  if (before === undefined) return { ...file, unchangedSinceMs: nowMs, firstSeenMs: nowMs };
  const same = before.bytes === file.bytes && before.modifiedAt === file.modifiedAt;
  const unchangedSinceMs = same ? before.unchangedSinceMs : nowMs;
  return { ...file, unchangedSinceMs, firstSeenMs: before.firstSeenMs };
}

/** Recognizes the names of files that are still being written: programs rename such files when they are done. */
export function isTemporary(name: string): boolean {
  return /^\.|~$|\.(part|partial|tmp|temp|crdownload|download|filepart|swp)$/i.test(name);
}
