/** Decides which segments are deleted, and which are merged. */
import { dayMs, type Instant } from "../../../platform/lib/clock.ts";
import { groupsOf, type FolderContent, type Segment } from "../files/folder.ts";
import { mergedSegmentsMax } from "./merge.ts";

export interface ArchiveLimits {
  bytesMax: number;
  ageMsMax: number;
}

/** Segments are this part of the maximum size at most, so that deleting the oldest one deletes few names. */
const partsOfMaximum = 16;
/** A segment is merged with newer ones once they are at least half its size together. */
const growth = 2;
/** Fewer segments of the current day are not merged yet. */
const mergedSegmentsMin = 4;

/**
 * Returns the segments to delete: those that are too old, and the oldest ones until the rest fits.
 * @param missingBytes how much less the archive has to take because the disk is nearly full
 */
export function segmentsToDelete(
  { segments, journals }: Pick<FolderContent, "segments" | "journals">,
  { bytesMax, ageMsMax }: ArchiveLimits,
  { now, missingBytes }: { now: Instant; missingBytes: number },
): Segment[] {
  let bytes = [...segments, ...journals].reduce((sum, file) => sum + file.bytes, 0);
  // If even deleting everything would not make enough room, something else has to go.
  const allowed = Math.min(bytesMax, missingBytes > bytes ? bytes : bytes - missingBytes);
  const oldestFirst = [...segments].sort((a, b) => a.day - b.day || a.last - b.last);
  return oldestFirst.filter((segment) => {
    if (segment.day + dayMs > now - ageMsMax && bytes <= allowed) return false;
    bytes -= segment.bytes;
    return true;
  });
}

/**
 * Returns adjacent segments of one day and source to merge next; undefined if none should be. Segments of the current
 * day are merged with some of similar size, so that each name is written a few times only. Other days are merged
 * completely.
 */
export function segmentsToMerge(
  { segments }: Pick<FolderContent, "segments">,
  { bytesMax }: Pick<ArchiveLimits, "bytesMax">,
  now: Instant,
): Segment[] | undefined {
  const mergedBytesMax = bytesMax / partsOfMaximum;
  for (const group of groupsOf(segments)) {
    const isOver = group[0]!.day + dayMs <= now;
    let adjacent: Segment[] = [];
    let bytes = 0;
    const newestFirst = [...group].sort((a, b) => b.last - a.last);
    for (const segment of newestFirst) {
      const isFull = adjacent.length === mergedSegmentsMax || bytes + segment.bytes > mergedBytesMax;
      const isLarge = adjacent.length > 0 && segment.bytes > growth * bytes;
      if (isFull || (isLarge && !isOver)) {
        if (adjacent.length >= (isOver ? 2 : mergedSegmentsMin)) return adjacent;
        adjacent = [];
        bytes = 0;
      }
      adjacent.push(segment);
      bytes += segment.bytes;
    }
    if (adjacent.length >= (isOver ? 2 : mergedSegmentsMin)) return adjacent;
  }
  return undefined;
}
