/** Divides the archive into parts that threads search. */
import { join } from "node:path";
import type { Segment } from "../files/folder.ts";
import { openExisting, readBlocks } from "../files/reading.ts";
import type { BlockSearch, FoundName } from "./query.ts";

/** A part of a segment: the blocks that start in it. Takes a thread about 50 ms. */
const partBytes = 4 << 20;

export interface SegmentPart {
  segment: Segment;
  start: number;
  end: number;
}

export interface PartResult {
  found: FoundName[];
  /** Number of names that were searched. */
  names: number;
  /** Length of the blocks that start in the part. Blocks do not start where parts do. */
  bytes: number;
  /** Whether all of them were searched. */
  isComplete: boolean;
  /** Whether the segment does not exist any more: it was replaced or deleted. */
  isMissing: boolean;
}

export function partsOf(segment: Segment): SegmentPart[] {
  const parts: SegmentPart[] = [];
  for (let start = 0; start < segment.bytes; start += partBytes)
    parts.push({ segment, start, end: Math.min(start + partBytes, segment.bytes) });
  return parts;
}

/**
 * Searches a part.
 * @param foundMax ends the search of the part after about this many names
 */
export async function searchPart(
  folder: string,
  { segment, start, end }: SegmentPart,
  { search, foundMax }: { search: BlockSearch; foundMax: number },
): Promise<PartResult> {
  const result: PartResult = { found: [], names: 0, bytes: 0, isComplete: false, isMissing: false };
  await using file = await openExisting(join(folder, segment.file));
  if (file === undefined) return { ...result, isMissing: true };
  for await (const { names, count, bytes } of readBlocks(file, { start, end })) {
    search(names, (name) => result.found.push(name));
    result.names += count;
    result.bytes += bytes;
    if (result.found.length >= foundMax) return result;
  }
  return { ...result, isComplete: true };
}
