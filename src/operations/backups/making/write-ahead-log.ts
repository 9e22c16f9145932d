import { readSync, writeSync } from "node:fs";

/**
 * Reads SQLite's write-ahead log: https://www.sqlite.org/fileformat.html §4. The log begins with a header of 32 bytes.
 * Each frame has a header of 24 bytes and one page. Its checksum covers all frames before it.
 */
const headerBytes = 32;
const frameHeaderBytes = 24;
const magic = 0x377f0682;
const framesPerRead = 256;

/** The committed pages of a log. */
export interface CommittedPages {
  /** Position of the latest content of each page in the copy, by page number; the first page is 1. */
  positions: Map<number, number>;
  /** Size of the database in pages after the last commit; undefined: nothing is committed. */
  pages: number | undefined;
}

/** The log was restarted while it was read. */
export class LogRestartedError extends Error {
  constructor() {
    super("the write-ahead log was restarted while it was read");
    this.name = "LogRestartedError";
  }
}

/**
 * Copies the pages of all complete transactions of a log, and says where they are in the copy.
 *
 * The caller holds a read transaction. Then the database file with these pages is the state after one transaction:
 * either SQLite cannot restart the log, and it copies only frames into the file that were committed before the read
 * transaction began, all of which are in this result. Or the read transaction does not use the log, because all of it
 * had been copied into the file: then SQLite can restart the log, but copies nothing into the file. A restart writes a
 * new header before anything else, so the header is compared after the last read.
 * @param log descriptor of the log
 * @param copy descriptor of an empty file
 * @throws LogRestartedError if it has to be read again
 */
export function copyCommittedPages(log: number, copy: number, pageBytes: number): CommittedPages {
  const header = readHeader(log);
  const result: CommittedPages = { positions: new Map(), pages: undefined };
  if (header !== undefined) readFrames({ log, copy, header, pageBytes, result });
  const now = readHeader(log);
  if (header === undefined ? now !== undefined : now === undefined || !header.bytes.equals(now.bytes))
    throw new LogRestartedError();
  return result;
}

interface Header {
  bytes: Buffer;
  isBigEndian: boolean;
  sums: [number, number];
}

/** Returns undefined for an empty log, or one whose header is not complete. */
function readHeader(log: number): Header | undefined {
  const bytes = Buffer.alloc(headerBytes);
  if (readSync(log, bytes, 0, headerBytes, 0) < headerBytes) return undefined;
  const isBigEndian = (bytes.readUInt32BE(0) & 1) === 1;
  if ((bytes.readUInt32BE(0) & ~1) >>> 0 !== magic) return undefined;
  const sums: [number, number] = [0, 0];
  addToChecksum(sums, bytes.subarray(0, 24), isBigEndian);
  if (bytes.readUInt32BE(24) !== sums[0] || bytes.readUInt32BE(28) !== sums[1]) return undefined;
  return { bytes, isBigEndian, sums };
}

function readFrames({
  log,
  copy,
  header,
  pageBytes,
  result,
}: {
  log: number;
  copy: number;
  header: Header;
  pageBytes: number;
  result: CommittedPages;
}): void {
  const { bytes: head, isBigEndian } = header;
  const sums: [number, number] = [...header.sums];
  const frameBytes = frameHeaderBytes + pageBytes;
  const buffer = Buffer.alloc(framesPerRead * frameBytes);
  /** Pages of the transaction whose last frame has not been read. */
  let uncommitted: [page: number, position: number][] = [];
  for (let frame = 0; ;) {
    const read = readSync(log, buffer, 0, buffer.length, headerBytes + frame * frameBytes);
    const frames = Math.floor(read / frameBytes);
    for (let index = 0; index < frames; index++, frame++) {
      const bytes = buffer.subarray(index * frameBytes, (index + 1) * frameBytes);
      // Frames of the log before its last restart follow the present ones.
      if (bytes.compare(head, 16, 24, 8, 16) !== 0) return;
      addToChecksum(sums, bytes.subarray(0, 8), isBigEndian);
      addToChecksum(sums, bytes.subarray(frameHeaderBytes), isBigEndian);
      if (bytes.readUInt32BE(16) !== sums[0] || bytes.readUInt32BE(20) !== sums[1]) return;
      writeSync(copy, bytes, frameHeaderBytes, pageBytes, frame * pageBytes);
      uncommitted.push([bytes.readUInt32BE(0), frame * pageBytes]);
      const pages = bytes.readUInt32BE(4);
      if (pages === 0) continue;
      for (const [page, position] of uncommitted) result.positions.set(page, position);
      result.pages = pages;
      uncommitted = [];
    }
    if (frames === 0) return;
  }
}

/** Adds bytes to SQLite's checksum. Their number is a multiple of 8. */
function addToChecksum(sums: [number, number], bytes: Buffer, isBigEndian: boolean): void {
  let [first, second] = sums;
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const isLittleEndian = !isBigEndian;
  for (let offset = 0; offset < bytes.length; offset += 8) {
    first = (first + words.getUint32(offset, isLittleEndian) + second) >>> 0;
    second = (second + words.getUint32(offset + 4, isLittleEndian) + first) >>> 0;
  }
  sums[0] = first;
  sums[1] = second;
}
