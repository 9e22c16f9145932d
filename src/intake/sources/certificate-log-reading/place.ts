/** Where the reading of a log stands, between two entries. */
import type {
  CertificateLog,
  CompactRange,
  TreeHead,
} from "../../../engines/certificate-transparency/log.ts";
import { createTree, type Tree } from "../../../engines/certificate-transparency/trees/compact-range.ts";
import { tileWidth } from "../../../engines/certificate-transparency/trees/right-edge.ts";
import type { LogProgress, Batch, BatchCounts, Candidate } from "./messages.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { ScreenedBlock } from "./screen-block.ts";

/** `LogProgress` with a tree that grows. */
export interface Place {
  position: number;
  /** Null: entries were read that cannot be verified. */
  tree: Tree | null;
  verified: CompactRange | null;
  head: TreeHead;
  backlog: LogProgress["backlog"];
  exemptBefore: number;
}

/** How much older than `catch_up` entries may be, as a share of it, before they are searched for and skipped. */
const catchUpTolerance = 0.05;

export function placeOf(progress: LogProgress): Place {
  const { range, ...rest } = progress;
  return { ...rest, tree: range === null ? null : createTree(range) };
}

export function progressOf({ tree, ...rest }: Place): LogProgress {
  return { ...rest, range: tree?.range() ?? null };
}

/** Continues after a range that was verified against the tree head: what is read next is verified from there on. */
export function continueFrom(place: Place, range: CompactRange): void {
  place.position = range.size;
  place.tree = createTree(range);
  place.verified = range;
}

/** Notes a new tree head. Its entries were published after the tree head before it. */
export function noteHead(place: Place, head: TreeHead): void {
  const { backlog, position } = place;
  if (backlog === null || position >= backlog.size)
    place.backlog = head.size > position ? { size: head.size, since: place.head.timestamp } : null;
  place.head = head;
}

/** Returns whether the next entries may be older than `catch_up`. */
export function isOutdated({ backlog, position, exemptBefore, head }: Place, catchUpMs: number): boolean {
  if (backlog === null || position >= head.size || position < exemptBefore) return false;
  return head.timestamp - backlog.since > catchUpMs * (1 + catchUpTolerance);
}

/** First index of the incomplete tile at the end of a tree. */
export function startOfLastTile(size: number): number {
  return size - (size % tileWidth);
}

/**
 * Returns the index up to which entries are read now. Those of an incomplete tile wait until it is full, or for too long.
 */
export function endOfReading(
  { position, head: { size } }: Place,
  { log, hasWaited }: { log: Pick<CertificateLog, "protocol" | "finalSize">; hasWaited: boolean },
): number {
  const full = startOfLastTile(size);
  if (log.protocol === "rfc6962" || log.finalSize === size) return size;
  if (position < full) return full;
  return hasWaited ? size : position;
}

/** A batch is sent when it reaches one of these, so that the memory of all batches in flight is bounded. */
const entriesMax = 1 << 13;
const nameBytesMax = 1 << 19;
const candidatesMax = 1 << 9;

/** Collects what the entries of one log contain until it is sent. */
export type BatchBuilder = ReturnType<typeof createBatchBuilder>;

const noCounts: Readonly<BatchCounts> = { entries: 0, names: 0, malformed: 0, skipped: 0, bytes: 0 };

export function createBatchBuilder() {
  let counts = { ...noCounts };
  let candidates: Candidate[] = [];
  let names: Uint8Array[] = [];
  let nameBytes = 0;
  let tablesVersion = Infinity;
  let lastEntryAt: Instant | null = null;

  return {
    add(block: ScreenedBlock) {
      counts.entries += block.entries;
      counts.names += block.nameCount;
      counts.malformed += block.malformed;
      counts.bytes += block.wireBytes;
      for (const candidate of block.candidates) candidates.push(candidate);
      names.push(block.names);
      nameBytes += block.names.length;
      // The oldest version decides: names that it dropped may match what was added since.
      tablesVersion = Math.min(tablesVersion, block.tablesVersion);
      lastEntryAt = block.lastAt ?? lastEntryAt;
    },
    skip: (entries: number) => void (counts.skipped += entries),
    isFull: () =>
      counts.entries >= entriesMax || nameBytes >= nameBytesMax || candidates.length >= candidatesMax,
    isEmpty: () => counts.entries === 0 && counts.skipped === 0,

    /** Returns the batch, and starts the next one. */
    take(progress: LogProgress): Batch {
      const joined = new Uint8Array(nameBytes);
      let used = 0;
      for (const part of names) {
        joined.set(part, used);
        used += part.length;
      }
      const batch = { progress, candidates, names: joined, tablesVersion, counts, lastEntryAt };
      counts = { ...noCounts };
      candidates = [];
      names = [];
      nameBytes = 0;
      tablesVersion = Infinity;
      lastEntryAt = null;
      return batch;
    },
  };
}
