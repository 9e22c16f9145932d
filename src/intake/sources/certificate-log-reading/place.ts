/** Where the reading of a log stands, between two entries. */
import type {
  CertificateLog,
  CompactRange,
  TreeHead,
} from "../../../engines/certificate-transparency/log.ts";
import { createTree, type Tree } from "../../../engines/certificate-transparency/trees/compact-range.ts";
import { tileWidth } from "../../../engines/certificate-transparency/trees/right-edge.ts";
import type { LogProgress } from "./messages.ts";

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
