/** Reads the names of an archive's folder while other processes write to it. */
import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { dayMs } from "../../../platform/lib/clock.ts";
import { undefinedIfMissing } from "../../../platform/lib/errors.ts";
import { archiveSources, type ArchiveBlock, type ArchiveExtent, type ArchivePosition } from "../archive.ts";
import { copyValidNames } from "../names/valid-names.ts";
import { createNameSorter, sortedNamesMax } from "../names/sort-names.ts";
import {
  compareGroups,
  isSameGroup,
  listFolder,
  listJournals,
  sortedExtent,
  type Segment,
} from "./folder.ts";
import {
  readRecords,
  type Group,
  headerBytes,
  type ReadableFile,
  type RecordRange,
  type StoredRecord,
} from "./record.ts";
import { zstdDecompressSync } from "node:zlib";

/** Segments may be replaced between listing and opening them. Each attempt lists them again. */
const attemptsMax = 20;
/** After the first pass, each journal that it listed is renamed twice at most, then deleted. */
const journalPassesMax = 4;
const lineFeed = 0x0a;

/**
 * Where a reading resumes: the end of the block at `offset` in a segment. Segments with numbers above `newest` did not
 * exist when the reading began.
 */
interface Place extends Group {
  newest: number;
  first: number;
  last: number;
  offset: number;
}

export interface FolderReading {
  folder: string;
  start?: ArchivePosition | undefined;
  signal: AbortSignal;
  /** Receives the number of bytes that could not be read. */
  onDamage?: ((bytes: number) => void) | undefined;
}

/**
 * Yields the names of all segments, the oldest day first, then the names of the journals. Opens the journals first: if a
 * journal becomes a segment while reading, its names are yielded twice instead of never.
 */
export async function* readFolder(options: FolderReading): AsyncGenerator<ArchiveBlock> {
  const { folder, start, signal } = options;
  await using opened = await openJournals(folder);
  const { content, journals } = opened;
  const from = start === undefined ? undefined : parsePosition(start);
  const newest = from?.newest ?? Math.max(0, ...content.segments.map(({ last }) => last));
  const { ahead, added } = divide(content.segments, from);
  let place: Place = from ?? { newest, day: 0, source: archiveSources[0], first: 0, last: 0, offset: 0 };
  const position = (reached: Place) => formatPosition({ ...reached, newest });
  // If several files become one during the reading, it is read in place of the first: it contains the names of all.
  let merged: Segment | undefined;
  for (const segment of ahead) {
    if (merged !== undefined && contains(merged, segment)) continue;
    const offset = from !== undefined && isAt(segment, from) ? from.offset : 0;
    for await (const { names, count, end, inFile } of segmentBlocks(options, segment, offset)) {
      const { day, source, first, last } = inFile;
      if (inFile !== segment) merged = inFile;
      place = { newest, day, source, first, last, offset: end };
      yield { day, source, names, count, position: position(place) };
    }
  }
  // The position stays at the end of the segments: what follows is read again after a restart.
  for (const segment of added) {
    const { day, source } = segment;
    for await (const { names, count } of segmentBlocks(options, segment))
      yield { day, source, names, count, position: position(place) };
  }
  const sort = createBlockSorter();
  for (const file of journals) {
    for await (const { day, source, stored } of readRecords(file)) {
      if (signal.aborted) return;
      const { names, count } = sort(stored);
      if (count > 0) yield { day, source, names, count, position: position(place) };
    }
  }
}

/** Returns the segments that follow the position, and those before it that were added since the reading began. */
function divide(
  segments: readonly Segment[],
  from: Place | undefined,
): { ahead: Segment[]; added: Segment[] } {
  const sorted = segments.toSorted(compareSegments);
  if (from === undefined) return { ahead: sorted, added: [] };
  const isAhead = (segment: Segment) => {
    const order = compareGroups(segment, from);
    // A segment that replaces the one of the position is read as a whole.
    return order > 0 || (order === 0 && segment.last >= from.last);
  };
  return {
    ahead: sorted.filter(isAhead),
    added: sorted.filter((segment) => !isAhead(segment) && segment.last > from.newest),
  };
}

export function compareSegments(a: Segment, b: Segment): number {
  return compareGroups(a, b) || a.first - b.first;
}

/** Returns whether a segment is another one, or was made from it. */
function contains(segment: Segment, other: Segment): boolean {
  return isSameGroup(segment, other) && segment.first <= other.first && segment.last >= other.last;
}

function isAt(segment: Segment, place: Place): boolean {
  return isSameGroup(segment, place) && segment.first === place.first && segment.last === place.last;
}

/**
 * Opens all journals, then lists the segments. A journal that is renamed in between is opened under its new name: it is
 * renamed twice at most, and deleted when the segments with its names are complete.
 * @throws an error of the system
 */
export async function openJournals(folder: string) {
  /** By inode, because a journal may be opened under two names. */
  const opened = new Map<number, FileHandle>();
  await using files = new AsyncDisposableStack();
  const openAll = async (): Promise<boolean> => {
    let isComplete = true;
    for (const { file } of listJournals(folder)) {
      const handle = await openExisting(join(folder, file));
      if (handle === undefined) {
        isComplete = false;
        continue;
      }
      const { ino } = await handle.stat();
      if (opened.has(ino)) await handle.close();
      else opened.set(ino, files.use(handle));
    }
    return isComplete;
  };
  for (let pass = 1; pass <= journalPassesMax; pass++) if (await openAll()) break;
  const content = listFolder(folder);
  const kept = files.move();
  return { content, journals: [...opened.values()], [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Returns undefined if the file does not exist. */
export function openExisting(path: string): Promise<FileHandle | undefined> {
  return open(path, "r").catch(undefinedIfMissing);
}

async function* segmentBlocks(
  { folder, signal, onDamage }: FolderReading,
  segment: Segment,
  offset = 0,
): AsyncGenerator<NameBlock & { inFile: Segment }> {
  const opened = await openSegment(folder, segment);
  if (opened === undefined) return;
  const { inFile } = opened;
  await using file = opened.file;
  for await (const block of readBlocks(file, { start: inFile === segment ? offset : 0, onDamage })) {
    if (signal.aborted) return;
    yield { ...block, inFile };
  }
}

/** Opens the segment; if it was replaced since, the one that contains its names. Returns undefined if it was deleted. */
async function openSegment(
  folder: string,
  segment: Segment,
): Promise<{ file: FileHandle; inFile: Segment } | undefined> {
  for (let attempt = 1, found: Segment | undefined = segment; found !== undefined; attempt++) {
    try {
      return { file: await open(join(folder, found.file), "r"), inFile: found };
    } catch (error) {
      undefinedIfMissing(error);
      if (attempt === attemptsMax) throw error;
    }
    found = findReplacement(folder, segment);
  }
  return undefined;
}

/** Returns the segment that contains the names of one that was replaced; undefined if they were deleted. */
export function findReplacement(folder: string, segment: Segment): Segment | undefined {
  return listFolder(folder).segments.find((other) => contains(other, segment));
}

/** Returns a function that returns the valid names of a journal's record in order. The next call overwrites them. */
export function createBlockSorter(): (lines: Uint8Array) => { names: Uint8Array; count: number } {
  const sort = createNameSorter();
  return (lines) => {
    // A name in Unicode form can take twice as much in A-label form.
    const valid = new Uint8Array(3 * lines.length + 1024);
    const { length, count } = copyValidNames(lines, valid, 0, { countMax: sortedNamesMax });
    const names = new Uint8Array(length);
    let used = 0;
    const different = sort(valid, count, (start, end) => {
      names.set(valid.subarray(start, end), used);
      used += end - start;
      names[used++] = lineFeed;
    });
    return { names: names.subarray(0, used), count: different };
  };
}

const positionForm = /^(\d+) (\d+) ([a-z_]+) (\d+)-(\d+) (\d+)$/;

function formatPosition({ newest, day, source, first, last, offset }: Place): ArchivePosition {
  return `${newest} ${day / dayMs} ${source} ${first}-${last} ${offset}`;
}

/** Returns undefined for text that is no position: reading starts at the beginning. */
function parsePosition(text: ArchivePosition): Place | undefined {
  const [, newest, day, name, first, last, offset] = positionForm.exec(text) ?? [];
  const source = archiveSources.find((one) => one === name);
  if (newest === undefined || source === undefined) return undefined;
  return {
    newest: Number(newest),
    day: Number(day) * dayMs,
    source,
    first: Number(first),
    last: Number(last),
    offset: Number(offset),
  };
}

/** Returns what `readFolder` yields, except that names in journals are counted as often as they arrived. */
export async function folderExtent(folder: string): Promise<ArchiveExtent> {
  await using opened = await openJournals(folder);
  const { content, journals } = opened;
  const extent = sortedExtent(content);
  for (const file of journals) {
    for await (const { day, stored } of readRecords(file)) {
      extent.names += copyValidNames(stored, new Uint8Array(3 * stored.length + 1024)).count;
      extent.oldestDay = Math.min(extent.oldestDay ?? day, day);
      extent.newestDay = Math.max(extent.newestDay ?? day, day);
    }
  }
  return extent;
}

/** The decompressor accepts no smaller one. */
const chunkBytesMin = 64;

export interface NameBlock {
  /** Each followed by a line feed. */
  names: Buffer;
  count: number;
  /** Length in the file. */
  bytes: number;
  /** Offset in the file after the block. */
  end: number;
}

/** Yields the undamaged blocks that start in the range. `onDamage` receives the number of bytes that were skipped. */
export async function* readBlocks(file: ReadableFile, range: RecordRange): AsyncGenerator<NameBlock> {
  for await (const record of readRecords(file, range)) {
    const names = unpack(record);
    if (names === undefined) range.onDamage?.(record.stored.length);
    else yield { names, count: record.count, bytes: headerBytes + record.stored.length, end: record.end };
  }
}

/**
 * Returns undefined if the record does not contain what it claims. Its checksum may be right all the same: a copied
 * archive may come from anywhere.
 */
function unpack({ kind, stored, namesBytes }: StoredRecord): Buffer | undefined {
  if (kind !== "zstd" || namesBytes === 0) return undefined;
  try {
    // One chunk, because growing to several takes longer than decompressing.
    const chunkSize = Math.max(chunkBytesMin, namesBytes);
    const names = zstdDecompressSync(stored, { maxOutputLength: namesBytes, chunkSize });
    return names.length === namesBytes && names.at(-1) === lineFeed ? names : undefined;
  } catch {
    return undefined;
  }
}
