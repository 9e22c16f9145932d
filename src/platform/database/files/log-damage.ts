import { closeSync, fstatSync, openSync, readSync, realpathSync } from "node:fs";

/** Sizes of headers, and offsets in them: https://www.sqlite.org/fileformat.html §4.1. */
const headerBytes = 32;
const frameHeaderBytes = 24;
const bigEndianMagic = 0x377f0683;
const pageBytesMax = 1 << 16;

/**
 * Returns whether the write-ahead log of the database at `path` contains complete transactions after a damaged frame. SQLite drops them without an error when
 * it opens the log: it reads up to the first wrong checksum, where the last process usually ended. Nobody may have the log open.
 * Damage in the last transaction looks like the end of a process, and is not found. If the log cannot be read, opening the
 * database reports why.
 */
export function hasUnreadTransactions(path: string): boolean {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(`${realpathSync(path)}-wal`, "r");
    const header = Buffer.alloc(headerBytes);
    if (readSync(descriptor, header, 0, headerBytes, 0) < headerBytes) return false;
    const pageBytes = header.readUInt32BE(8);
    const isPageSize = pageBytes >= 512 && pageBytes <= pageBytesMax && (pageBytes & (pageBytes - 1)) === 0;
    const littleEndian = header.readUInt32BE(0) !== bigEndianMagic;
    const start = sumOf([0, 0], header.subarray(0, 24), littleEndian);
    // A damaged header makes the whole log unreadable.
    const isHeaderRight = isPageSize && isSum(start, header, 24);
    const frame = Buffer.alloc(frameHeaderBytes + (isPageSize ? pageBytes : 4_096));
    const frames = Math.floor((fstatSync(descriptor).size - headerBytes) / frame.length);
    let before = isHeaderRight ? start : undefined;
    let isBroken = before === undefined;
    let commits = 0;
    for (let index = 0; index < frames; index++) {
      readSync(descriptor, frame, 0, frame.length, headerBytes + index * frame.length);
      // Frames of an earlier run of the log have other salts.
      const isPresent = !isHeaderRight || frame.compare(header, 16, 24, 8, 16) === 0;
      const isRight =
        isPresent && before !== undefined && isSum(frameSum(before, frame, littleEndian), frame, 16);
      const isFirst = !isRight && !isBroken;
      isBroken ||= !isRight;
      // The first one may be of a transaction that a power cut has torn.
      if (isBroken && (isRight || isFirst) && frame.readUInt32BE(4) !== 0) commits++;
      if (isRight && commits > 1) return true;
      before = [frame.readUInt32BE(16), frame.readUInt32BE(20)];
    }
    return false;
  } catch {
    return false;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

type Sum = readonly [number, number];

/** The sum of a frame continues the sum of the frame before. */
const frameSum = (before: Sum, frame: Buffer, littleEndian: boolean): Sum =>
  sumOf(sumOf(before, frame.subarray(0, 8), littleEndian), frame.subarray(frameHeaderBytes), littleEndian);

function sumOf([first, second]: Sum, bytes: Buffer, littleEndian: boolean): Sum {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; at += 8) {
    first = (first + view.getUint32(at, littleEndian) + second) >>> 0;
    second = (second + view.getUint32(at + 4, littleEndian) + first) >>> 0;
  }
  return [first, second];
}

const isSum = ([first, second]: Sum, bytes: Buffer, at: number): boolean =>
  bytes.readUInt32BE(at) === first && bytes.readUInt32BE(at + 4) === second;
