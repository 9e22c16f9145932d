import type { Database } from "../../database/database.ts";
import { createChangeLog } from "./change-log.ts";
import type { ThreatDetail } from "./detail-query.ts";

/** Default limit of the memory for texts: about 30,000 threats with short registration data. */
const memoryBytesMax = 32 << 20;
/** Memory for an entry without its text, measured. */
const entryBytes = 460;
/** After more changes than this, it takes less time to read details again than to find those that are still valid. */
const changesMax = 5_000;

/** A detail in the form in which it is sent. */
export interface RenderedDetail {
  protectedDomain: string;
  text: string;
}

export type DetailCache = (id: string, publicUrl: string) => RenderedDetail | undefined;

interface Entry extends RenderedDetail {
  id: string;
  seq: number;
}

/**
 * Returns a lookup that keeps what it has rendered until the threat changes: a repeated lookup takes 0.1 µs instead of 7.
 * Its memory is limited in bytes, and the oldest entries make room. It follows the change log after every commit of this
 * process or another one, so its results are never older than the state of the database that the caller reads. It must
 * not be used in a transaction that has changed a threat.
 */
export function createDetailCache({
  database,
  read,
  render,
  bytesMax = memoryBytesMax,
}: {
  database: Pick<Database, "foreignVersion" | "observe" | "sqlite">;
  read: (id: string) => ThreatDetail | undefined;
  /** Returns the text of a detail, which may contain the public URL of the server. */
  render: (detail: ThreatDetail, publicUrl: string) => string;
  bytesMax?: number;
}): DetailCache {
  const log = createChangeLog(database);
  const byId = new Map<string, Entry>();
  const idBySeq = new Map<number, string>();
  // One iterator, because a new one would have to skip the places of all entries that were removed before.
  let oldest = byId.values();
  let bytes = 0;
  let commits = 0;
  database.observe({ failed() {}, changed: () => void (commits += 1) });
  let followed = { commits: -1, foreign: -1, version: 0, publicUrl: "" };

  /** Returns how many bytes that frees. */
  function remove(entry: Entry): number {
    const freed = bytesOf(entry);
    byId.delete(entry.id);
    idBySeq.delete(entry.seq);
    bytes -= freed;
    return freed;
  }

  function clear(): void {
    byId.clear();
    idBySeq.clear();
    oldest = byId.values();
    bytes = 0;
  }

  function removeOldest(): number {
    let next = oldest.next();
    if (next.done) {
      oldest = byId.values();
      next = oldest.next();
    }
    return next.done ? Infinity : remove(next.value);
  }

  function add(entry: Entry): void {
    const size = bytesOf(entry);
    if (size > bytesMax) return;
    for (let free = bytesMax - bytes; free < size;) free += removeOldest();
    byId.set(entry.id, entry);
    idBySeq.set(entry.seq, entry.id);
    bytes += size;
  }

  function removeStale(publicUrl: string): void {
    const foreign = database.foreignVersion();
    const isSameUrl = publicUrl === followed.publicUrl;
    if (isSameUrl && foreign === followed.foreign && commits === followed.commits) return;
    const { first, last } = log.bounds();
    const version = last ?? 0;
    const isComplete = first === null || first <= followed.version + 1;
    if (isSameUrl && isComplete && version - followed.version <= changesMax) {
      for (const { threatSeq } of log.after(followed.version, changesMax)) {
        const entry = byId.get(idBySeq.get(threatSeq) ?? "");
        if (entry !== undefined) remove(entry);
      }
    } else {
      clear();
    }
    followed = { commits, foreign, version, publicUrl };
  }

  return (id, publicUrl) => {
    removeStale(publicUrl);
    const known = byId.get(id);
    if (known !== undefined) return known;
    const detail = read(id);
    if (detail === undefined) return undefined;
    // With the strings of the detail: the given ID may be a part of a longer text, which it would keep in memory.
    const { id: ownId, seq, protectedDomain } = detail;
    const entry = { id: ownId, seq, protectedDomain, text: render(detail, publicUrl) };
    add(entry);
    return entry;
  };
}

/** Estimates memory: a text takes a byte per character, or two if it contains characters beyond Latin-1. */
function bytesOf({ text }: Entry): number {
  const isAscii = Buffer.byteLength(text) === text.length;
  return entryBytes + (isAscii ? text.length : 2 * text.length);
}
