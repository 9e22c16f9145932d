import type { Database } from "../../../platform/database/database.ts";
import { createChangeLog } from "./change-log.ts";

/** After more changes than this, it takes less time to read threats again than to find those that are still valid. */
const changesMax = 5_000;
/** Memory for an entry without its text, measured. */
const entryBytes = 460;

/** A threat in the form in which it is sent. */
export interface ThreatText {
  seq: number;
  text: string;
}

/**
 * Keeps texts in memory until their threats change. The oldest ones make room. Follows the change log after every commit of
 * this process or another one.
 */
export function createTextCache<Key, Entry extends ThreatText>({
  database,
  bytesMax,
}: {
  database: Pick<Database, "foreignVersion" | "observe" | "prepare">;
  bytesMax: number;
}) {
  const log = createChangeLog(database);
  const entries = new Map<Key, Entry>();
  const keyBySeq = new Map<number, Key>();
  // One iterator for many entries, because a new one has to skip the places of all that were removed before. It is
  // replaced now and then, because it keeps all tables that the map has had since its last step in memory.
  let oldest = entries.keys();
  let removedSinceNew = 0;
  let bytes = 0;
  let commits = 0;
  database.observe({ failed() {}, changed: () => void (commits += 1) });
  let followed = { commits: -1, foreign: -1, version: 0, publicUrl: "" };

  /** Returns how many bytes that frees. */
  function remove(key: Key): number {
    const entry = entries.get(key);
    if (entry === undefined) return 0;
    const freed = bytesOf(entry);
    entries.delete(key);
    keyBySeq.delete(entry.seq);
    bytes -= freed;
    removedSinceNew += 1;
    if (removedSinceNew > entries.size) startOver();
    return freed;
  }

  function startOver(): void {
    oldest = entries.keys();
    removedSinceNew = 0;
  }

  function clear(): void {
    entries.clear();
    keyBySeq.clear();
    startOver();
    bytes = 0;
  }

  function removeOldest(): number {
    let next = oldest.next();
    if (next.done) {
      startOver();
      next = oldest.next();
    }
    return next.done ? Infinity : remove(next.value);
  }

  return {
    /**
     * Removes the texts that commits have made invalid. Call it before the lookups: their results are then never older
     * than the state of the database that the caller reads. Must not be called in a transaction that has changed a threat.
     * @param publicUrl the texts may contain it, so another one removes all of them
     */
    follow(publicUrl: string) {
      const foreign = database.foreignVersion();
      const isSameUrl = publicUrl === followed.publicUrl;
      if (isSameUrl && foreign === followed.foreign && commits === followed.commits) return;
      const { first, last } = log.bounds();
      const version = last ?? 0;
      const isComplete = first === null || first <= followed.version + 1;
      if (isSameUrl && isComplete && version - followed.version <= changesMax) {
        for (const { threatSeq } of log.after(followed.version, changesMax)) {
          const key = keyBySeq.get(threatSeq);
          if (key !== undefined) remove(key);
        }
      } else {
        clear();
      }
      followed = { commits, foreign, version, publicUrl };
    },
    get: (key: Key) => entries.get(key),
    /** Adds an entry that was read after the last call of `follow`. */
    add(key: Key, entry: Entry) {
      remove(key);
      const size = bytesOf(entry);
      if (size > bytesMax) return;
      for (let free = bytesMax - bytes; free < size;) free += removeOldest();
      entries.set(key, entry);
      keyBySeq.set(entry.seq, key);
      bytes += size;
    },
  };
}

/** Estimates memory: a text takes a byte per character, or two if it contains characters beyond Latin-1. */
function bytesOf({ text }: ThreatText): number {
  const isAscii = Buffer.byteLength(text) === text.length;
  return entryBytes + (isAscii ? text.length : 2 * text.length);
}
