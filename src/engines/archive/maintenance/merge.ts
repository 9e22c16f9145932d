/** Merges sorted segments into one, with each name once. */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { readBlocks, type NameBlock } from "../files/reading.ts";
import type { Segment } from "../files/folder.ts";
import { compareNames } from "../names/sort-names.ts";
import { createSegmentWriter } from "./segment-writer.ts";

/** Maximum number of segments that are merged at once. Each needs a block of names in memory: 0.5 MB, at most 4. */
export const mergedSegmentsMax = 32;

const lineFeed = 0x0a;

interface Cursor {
  blocks: AsyncGenerator<NameBlock>;
  names: Uint8Array;
  start: number;
  /** Index of the line feed after the current name. */
  end: number;
}

/**
 * Writes one segment with the names of all.
 * @param segments adjacent segments of one day and source
 * @param onDamage receives the number of bytes that could not be read
 */
export async function mergeSegments(
  folder: string,
  segments: readonly Segment[],
  onDamage: (bytes: number) => void,
): Promise<void> {
  const { day, source } = segments[0]!;
  const first = Math.min(...segments.map((segment) => segment.first));
  const last = Math.max(...segments.map((segment) => segment.last));
  await using files = new AsyncDisposableStack();
  using writer = createSegmentWriter(folder, { day, source, first, last });
  const heap: Cursor[] = [];
  for (const { file } of segments) {
    const blocks = readBlocks(files.use(await open(join(folder, file), "r")), { onDamage });
    const cursor: Cursor = { blocks, names: new Uint8Array(0), start: 0, end: -1 };
    if (advance(cursor) || (await load(cursor))) heap.push(cursor);
  }
  heap.sort(compareCursors);
  while (heap.length > 0) {
    const least = heap[0]!;
    writer.add(least.names, least.start, least.end);
    if (!advance(least) && !(await load(least))) {
      const moved = heap.pop()!;
      if (heap.length === 0) break;
      heap[0] = moved;
    }
    siftDown(heap);
  }
  writer.finish();
}

/** Moves to the next name of the block. Returns false at its end. */
function advance(cursor: Cursor): boolean {
  cursor.start = cursor.end + 1;
  if (cursor.start >= cursor.names.length) return false;
  cursor.end = cursor.names.indexOf(lineFeed, cursor.start);
  return true;
}

/** Moves to the first name of the next block. Returns false at the end of the segment. */
async function load(cursor: Cursor): Promise<boolean> {
  const { value, done } = await cursor.blocks.next();
  if (done === true) return false;
  cursor.names = value.names;
  cursor.end = -1;
  return advance(cursor);
}

function compareCursors(a: Cursor, b: Cursor): number {
  return compareNames(a.names, a.start, a.end, b.names, b.start, b.end);
}

/** Restores the order of the heap after its first cursor has moved. */
function siftDown(heap: Cursor[]): void {
  const moved = heap[0]!;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && compareCursors(heap[child + 1]!, heap[child]!) < 0) child++;
    if (compareCursors(heap[child]!, moved) >= 0) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = moved;
}
