import type { Instant } from "../../lib/clock.ts";
import type { FeedFile } from "./tables.ts";

/** What a look at a file tells. */
export interface FileLook {
  bytes: number;
  modifiedAt: Instant;
}

/** What was seen of a file before: since when it looks as it does, and since when it is known. */
export interface Watched extends FileLook {
  unchangedSince: Instant;
  firstSeenAt: Instant;
}

export type Decision =
  /** Nothing to do: read to its end, or faulty and unchanged. */
  | { do: "nothing" }
  /** Somebody may be writing it. */
  | { do: "wait" }
  | { do: "read"; from: "start" | "position"; toEnd: boolean }
  /** From where it was left if it was appended to, else from its start; `anew` says whether that may be now. */
  | { do: "compare"; toEnd: boolean; anew: boolean };

/** A file that stays as it is for so long is complete. */
export const settledMs = 2_000;
/** One that was last written so long ago was moved here as a whole. */
const writtenMs = 10_000;
/** One that never comes to rest is read as it grows. */
const growingMs = 30_000;

/**
 * Decides what to do with a file of a feed.
 * @param known how far it was read; undefined: not at all.
 */
export function decide(known: FeedFile | undefined, watched: Watched, now: Instant): Decision {
  const settled = now - watched.unchangedSince >= settledMs || now - watched.modifiedAt >= writtenMs;
  const growing = now - watched.firstSeenAt >= growingMs;
  if (known === undefined) {
    if (settled) return { do: "read", from: "start", toEnd: true };
    return growing ? { do: "read", from: "start", toEnd: false } : { do: "wait" };
  }
  if (known.bytes === watched.bytes && known.modifiedAt === watched.modifiedAt) {
    if (known.completedAt !== null || known.error !== null) return { do: "nothing" };
    return settled ? { do: "read", from: "position", toEnd: true } : { do: "wait" };
  }
  if (watched.bytes > known.bytes && known.fingerprint !== null)
    return { do: "compare", toEnd: settled, anew: settled };
  return settled ? { do: "read", from: "start", toEnd: true } : { do: "wait" };
}

/** Brings what is known of a file up to date with another look at it. */
export function watch(before: Watched | undefined, look: FileLook, now: Instant): Watched {
  if (before === undefined) return { ...look, unchangedSince: now, firstSeenAt: now };
  const same = before.bytes === look.bytes && before.modifiedAt === look.modifiedAt;
  return { ...look, unchangedSince: same ? before.unchangedSince : now, firstSeenAt: before.firstSeenAt };
}

/** Names that programs give to files which they have not finished: they are renamed in the end. */
export function isTemporary(name: string): boolean {
  return /^\.|~$|\.(part|partial|tmp|temp|crdownload|download|filepart|swp)$/i.test(name);
}
