/** Records of a ZIP archive that is read from its start. */
import { visible } from "../../../platform/lib/safe-text.ts";
import { readAhead, type ByteSource, NameListError } from "./byte-source.ts";

/** Size of the pieces in which an archive is read and decompressed. */
export const pieceBytes = 1 << 16;
const shownCharactersMax = 100;

const fileHeader = 0x04034b50;
/** Records that follow the last file: directory, its end in both forms, and data for decryption. */
const closingRecords = new Set([0x02014b50, 0x06054b50, 0x06064b50, 0x08064b50]);
const descriptorSignature = 0x08074b50;
const fileHeaderBytes = 30;
const descriptorBytesMax = 24;
const stored = 0;
const deflated = 8;
/** The length is in a field for 64 bits, or in a record after the file. */
const length64 = 0xffff_ffff;

export interface FileHeader {
  name: string;
  isCompressed: boolean;
  /** Undefined: it is in a record after the file. */
  known: { crc: number; packedBytes: number; bytes: number } | undefined;
}

/** Reads the header of the next file; undefined behind the last one. */
export async function nextFile(input: Input, path: string): Promise<FileHeader | undefined> {
  const start = await input.peek(fileHeaderBytes);
  if (start.length < 4) throw truncated(path);
  const view = new DataView(start.buffer, start.byteOffset, start.length);
  const signature = view.getUint32(0, true);
  if (closingRecords.has(signature)) return undefined;
  if (signature === descriptorSignature)
    throw new NameListError(path, "is a part of a split archive; join its parts");
  if (signature !== fileHeader) throw corrupt(path);
  if (start.length < fileHeaderBytes) throw truncated(path);
  const flags = view.getUint16(6, true);
  const method = view.getUint16(8, true);
  const [crc, packed, bytes] = [14, 18, 22].map((at) => view.getUint32(at, true)) as [number, number, number];
  const nameBytes = view.getUint16(26, true);
  const extraBytes = view.getUint16(28, true);
  input.take(fileHeaderBytes);
  const tail = await input.peek(nameBytes + extraBytes);
  if (tail.length < nameBytes + extraBytes) throw truncated(path);
  const name = Buffer.from(tail.subarray(0, nameBytes)).toString("utf8");
  const lengths64 = lengthsIn(tail.slice(nameBytes));
  input.take(tail.length);
  if ((flags & 0x2041) !== 0) throw new NameListError(path, `is encrypted (${shown(name)}); decrypt it`);
  if (method !== stored && method !== deflated)
    throw new NameListError(
      path,
      `contains ${shown(name)}, compressed with the unsupported method ${method}; use deflate`,
    );
  const isLater = (flags & 8) !== 0;
  // Many programs write a folder with the flag and without the record.
  if (isLater && method === stored && packed === 0 && !name.endsWith("/"))
    throw new NameListError(path, `contains ${shown(name)}, stored with unknown length; compress it`);
  if (isLater && method === deflated) return { name, isCompressed: true, known: undefined };
  const is64 = (length: number) => length === length64 && lengths64 !== undefined;
  return {
    name,
    isCompressed: method === deflated,
    known: {
      crc,
      packedBytes: is64(packed) ? lengths64!.packed : packed,
      bytes: is64(bytes) ? lengths64!.bytes : bytes,
    },
  };
}

/** Returns the lengths in the extra field for archives over 4 GiB (section 4.5.3). */
function lengthsIn(extra: Uint8Array): { packed: number; bytes: number } | undefined {
  const view = new DataView(extra.buffer, extra.byteOffset, extra.length);
  for (let at = 0; at + 4 <= extra.length;) {
    const [id, length] = [view.getUint16(at, true), view.getUint16(at + 2, true)];
    at += 4;
    if (id === 1 && length >= 16 && at + 16 <= extra.length)
      return { bytes: Number(view.getBigUint64(at, true)), packed: Number(view.getBigUint64(at + 8, true)) };
    at += length;
  }
  return undefined;
}

/**
 * Takes the record after a file of unknown length (section 4.3.9). Its signature is optional, and its lengths have 32 or
 * 64 bits, so that only the content shows which form it has.
 */
export async function readDescriptor(
  input: Input,
  found: NonNullable<FileHeader["known"]>,
  path: string,
): Promise<NonNullable<FileHeader["known"]>> {
  const record = await input.peek(descriptorBytesMax);
  const view = new DataView(record.buffer, record.byteOffset, record.length);
  for (const at of [4, 0]) {
    for (const width of [8, 4]) {
      const end = at + 4 + 2 * width;
      if (end > record.length || (at === 4 && view.getUint32(0, true) !== descriptorSignature)) continue;
      const lengthAt = (offset: number) =>
        width === 4 ? view.getUint32(offset, true) : Number(view.getBigUint64(offset, true));
      const isForm =
        view.getUint32(at, true) === found.crc &&
        lengthAt(at + 4) === found.packedBytes % (width === 4 ? 2 ** 32 : Infinity) &&
        lengthAt(at + 4 + width) === found.bytes % (width === 4 ? 2 ** 32 : Infinity);
      if (!isForm) continue;
      input.take(end);
      return found;
    }
  }
  throw record.length < 12 ? truncated(path) : corrupt(path);
}

/** Bytes of a source that can be read before they are taken. */
export type Input = ReturnType<typeof createInput>;

export function createInput(source: ByteSource) {
  let buffer: Uint8Array = new Uint8Array(0);
  let taken = 0;
  return {
    /** Number of bytes taken so far. */
    get taken() {
      return taken;
    },

    /** Returns at least the next `bytes` bytes, fewer only at the end. Valid until the next call. */
    async peek(bytes: number) {
      if (buffer.length < bytes) {
        const more = await readAhead(
          source,
          Math.max(pieceBytes, bytes),
          (read) => buffer.length + read.length >= bytes,
        );
        buffer = buffer.length === 0 ? more : Buffer.concat([buffer, more]);
      }
      return buffer.subarray(0, Math.max(bytes, 0));
    },

    /** Returns the bytes that are there without waiting. */
    buffered: () => buffer,
    take(bytes: number) {
      buffer = buffer.subarray(bytes);
      taken += bytes;
    },
  };
}

export function truncated(path: string): NameListError {
  return new NameListError(path, "is truncated: its ZIP data ends early");
}

export function corrupt(path: string): NameListError {
  return new NameListError(path, "is corrupt: its ZIP data cannot be unpacked");
}

export function shown(name: string): string {
  return `"${visible(name, shownCharactersMax)}"`;
}
