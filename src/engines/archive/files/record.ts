/**
 * Format of the archive's files: records one after another. A journal contains names as they arrived, a segment contains
 * compressed blocks of sorted names. A record identifies itself, so that reading continues after a damaged part.
 *
 * A record starts with 32 bytes, little-endian: the mark (8 bytes), the kind (1), the source (1), the version (2), the
 * length of the stored bytes (4), the length of the names (4), the number of names (4; 0 in a journal), the day since
 * 1970 (4), and the CRC-32 of these 28 bytes and the stored bytes (4). The stored bytes follow.
 */
import type { ArchiveSource } from "../archive.ts";
import type { FileHandle } from "node:fs/promises";
import { dayMs, type Instant } from "../../../platform/lib/clock.ts";

export const headerBytes = 32;
/** Maximum length of a record's stored bytes and of its names. A longer one is damaged. */
const payloadBytesMax = 8 << 20;

const version = 1;
/** Contains bytes that no name contains. */
const mark = Buffer.from("\x89PWNAME\n", "latin1");
const windowBytes = 1 << 18;
const codes = {
  scan: 1,
  certificate_transparency: 2,
  feed: 3,
  submission: 4,
  beacon: 5,
} as const satisfies Record<ArchiveSource, number>;
const sourceOfCode = new Map<number, ArchiveSource>(
  Object.entries(codes).map(([source, code]) => [code, source as ArchiveSource]),
);
const kinds = { raw: 1, zstd: 2 } as const;
const kindOfCode = new Map<number, RecordKind>(
  Object.entries(kinds).map(([kind, code]) => [code, kind as RecordKind]),
);

export type ReadableFile = Pick<FileHandle, "read">;

export type RecordKind = keyof typeof kinds;

/** Names that were seen on one day in one source. */
export interface Group {
  /** Start of the UTC day. */
  day: Instant;
  source: ArchiveSource;
}

export interface StoredRecord extends Group {
  kind: RecordKind;
  /** Valid until the next record is read. */
  stored: Uint8Array;
  namesBytes: number;
  count: number;
  /** Offset in the file after the record. */
  end: number;
}

/** Returns the first bytes of a record; `stored` has to follow them. */
export function recordHeader(
  { kind, day, source }: Group & { kind: RecordKind },
  stored: Uint8Array,
  { namesBytes, count }: { namesBytes: number; count: number },
): Buffer {
  const header = Buffer.alloc(headerBytes);
  mark.copy(header);
  header[8] = kinds[kind];
  header[9] = codes[source];
  header.writeUInt16LE(version, 10);
  header.writeUInt32LE(stored.length, 12);
  header.writeUInt32LE(namesBytes, 16);
  header.writeUInt32LE(count, 20);
  header.writeUInt32LE(Math.floor(day / dayMs), 24);
  header.writeUInt32LE(checksum(header, stored), 28);
  return header;
}

function checksum(header: Uint8Array, stored: Uint8Array): number {
  return Bun.hash.crc32(stored, Bun.hash.crc32(header.subarray(0, 28)));
}

/** The records that start at `start` or after it and before `end`. */
export interface RecordRange {
  start?: number;
  end?: number;
  /** Receives the number of bytes that belong to no record. The end of a file that was cut off counts too. */
  onDamage?: ((bytes: number) => void) | undefined;
}

/** Yields the undamaged records in a range. */
export async function* readRecords(
  file: ReadableFile,
  { start = 0, end = Infinity, onDamage }: RecordRange = {},
): AsyncGenerator<StoredRecord> {
  const window = createWindow(file, start);
  let damaged = 0;
  const reportDamage = () => {
    if (damaged > 0) onDamage?.(damaged);
    damaged = 0;
  };
  for (;;) {
    const available = await window.fill(headerBytes);
    if (available === 0 || window.position() >= end) break;
    const record = available < headerBytes ? undefined : await readRecord(window);
    if (record === undefined) {
      damaged += await skipToMark(window);
      continue;
    }
    reportDamage();
    yield record;
  }
  reportDamage();
}

async function readRecord(window: Window): Promise<StoredRecord | undefined> {
  const header = window.peek(headerBytes);
  if (!header.subarray(0, mark.length).equals(mark)) return undefined;
  const kind = kindOfCode.get(header[8]!);
  const source = sourceOfCode.get(header[9]!);
  const length = header.readUInt32LE(12);
  const namesBytes = header.readUInt32LE(16);
  if (kind === undefined || source === undefined || header.readUInt16LE(10) !== version) return undefined;
  if (length > payloadBytesMax || namesBytes > payloadBytesMax) return undefined;
  const count = header.readUInt32LE(20);
  const day = header.readUInt32LE(24) * dayMs;
  const sum = header.readUInt32LE(28);
  if ((await window.fill(headerBytes + length)) < headerBytes + length) return undefined;
  const whole = window.peek(headerBytes + length);
  const stored = whole.subarray(headerBytes);
  if (checksum(whole, stored) !== sum) return undefined;
  window.skip(headerBytes + length);
  return { kind, source, day, stored, namesBytes, count, end: window.position() };
}

/** Skips to the next mark after the current byte, or to the end of the file, and returns how many bytes that was. */
async function skipToMark(window: Window): Promise<number> {
  let skipped = 1;
  window.skip(1);
  for (;;) {
    const end = await window.fill(mark.length);
    if (end < mark.length) {
      window.skip(end);
      return skipped + end;
    }
    // Only what is buffered: filling the whole buffer after each of many marks would move it each time.
    const available = window.buffered();
    const found = window.peek(available).indexOf(mark);
    // The mark may start in the last bytes and end in the next ones.
    const step = found === -1 ? available - mark.length + 1 : found;
    window.skip(step);
    skipped += step;
    if (found !== -1) return skipped;
  }
}

type Window = ReturnType<typeof createWindow>;

/** Reads a file from `start` on through a buffer that grows to the longest record. */
function createWindow(file: ReadableFile, start: number) {
  let buffer = Buffer.alloc(windowBytes);
  let from = 0;
  let to = 0;
  let position = start;
  return {
    /** Offset in the file of the next byte. */
    position: () => position,
    /** Buffers at least `wanted` bytes, unless the file ends before. Returns how many are buffered, at most `wanted`. */
    async fill(wanted: number): Promise<number> {
      if (to - from < wanted && from + wanted > buffer.length) {
        const next = wanted > buffer.length ? Buffer.alloc(wanted) : buffer;
        buffer.copy(next, 0, from, to);
        buffer = next;
        to -= from;
        from = 0;
      }
      while (to - from < wanted) {
        const { bytesRead } = await file.read(buffer, to, buffer.length - to, position + to - from);
        if (bytesRead === 0) break;
        to += bytesRead;
      }
      return Math.min(to - from, wanted);
    },
    buffered: () => to - from,
    peek: (length: number) => buffer.subarray(from, from + length),
    skip(length: number) {
      from += length;
      position += length;
    },
  };
}
