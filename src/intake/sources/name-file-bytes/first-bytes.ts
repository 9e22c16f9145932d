/** Recognizes compressed data by its first bytes. File extensions are often wrong. */

export type Compression = "none" | "gzip" | "zstd" | "zip";

/** Number of bytes that are needed. */
export const firstBytesMax = 6;

const gzip = [0x1f, 0x8b];
const zstd = [0x28, 0xb5, 0x2f, 0xfd];
const xz = [0xfd, 0x37, 0x7a, 0x58, 0x5a];
const bzip2 = [0x42, 0x5a, 0x68];
/** A file, the end of an empty archive, or the first part of a split one. */
const zips = [
  [0x50, 0x4b, 0x03, 0x04],
  [0x50, 0x4b, 0x05, 0x06],
  [0x50, 0x4b, 0x07, 0x08],
];
/** Compound file: emails saved by Outlook, and documents of Office before 2007. */
const compoundFile = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1];
const pdf = [0x25, 0x50, 0x44, 0x46, 0x2d];
const byteOrderMarkUtf8 = [0xef, 0xbb, 0xbf];
const byteOrderMarksUtf16 = [
  [0xff, 0xfe],
  [0xfe, 0xff],
];

export function compressionOf(head: Uint8Array): Compression {
  if (startsWith(head, gzip)) return "gzip";
  // A Zstandard frame, or a skippable frame as parallel compressors write first (RFC 8878, section 3.1).
  if (startsWith(head, zstd)) return "zstd";
  if (head.length >= 4 && (head[0]! & 0xf0) === 0x50 && startsWith(head.subarray(1), [0x2a, 0x4d, 0x18]))
    return "zstd";
  return zips.some((start) => startsWith(head, start)) ? "zip" : "none";
}

/** Returns why a list cannot be read and what to do about it; undefined if its format is supported. */
export function unreadable(head: Uint8Array): string | undefined {
  if (startsWith(head, xz)) return "is compressed with xz; decompress it, or use gzip or zstd";
  if (startsWith(head, bzip2)) return "is compressed with bzip2; decompress it, or use gzip or zstd";
  if (byteOrderMarksUtf16.some((start) => startsWith(head, start))) return "is UTF-16; save it as UTF-8";
  if (startsWith(head, compoundFile))
    return "is a document of Outlook (.msg) or an old Office; save an email as .eml, a table as CSV";
  if (startsWith(head, pdf)) return "is a PDF document; copy its text, or save it as CSV";
  return undefined;
}

/** Recognizes compressed files in any format, supported or not. */
export function isCompressed(head: Uint8Array): boolean {
  return compressionOf(head) !== "none" || startsWith(head, xz) || startsWith(head, bzip2);
}

/** Returns the bytes after a byte order mark of UTF-8, if there is one. */
export function withoutByteOrderMark(head: Uint8Array): Uint8Array {
  return startsWith(head, byteOrderMarkUtf8) ? head.subarray(3) : head;
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}
