/**
 * Reads the files in a ZIP archive (PKWARE APPNOTE 6.3.10) one after another, from its start: a list may come from a pipe
 * or an upload, so that the directory at its end cannot be read first.
 *
 * A file of unknown length ends where its deflate stream ends. Libraries that read archives as a stream (fflate,
 * unzip-stream) search for the signature of the record after it instead, which compressed data may contain. Others
 * (yauzl, zip.js) need the whole archive first.
 */
import { crc32, createInflateRaw, type InflateRaw } from "node:zlib";
import {
  type ByteSource,
  NameListError,
  isCompressed,
  withoutByteOrderMark,
  readAhead,
  readPieces,
} from "./byte-source.ts";
import { codeOf } from "../../../platform/lib/errors.ts";
import { visible } from "../../../platform/lib/safe-text.ts";

/** Maximum number of files and folders in an archive. */
const filesMax = 10_000;
/** Maximum size, after decompression, of all files that contain no list, such as the metadata of macOS. */
const skippedBytesMax = 64 << 20;

const lineFeed = 0x0a;
/** First file in the ZIP archives that spreadsheets and text documents are. */
const officeFile = "[Content_Types].xml";

/**
 * Returns the text of all files in the archive, each starting on a new line. Folders, hidden files and the metadata of
 * macOS are skipped. Reading fails with a NameListError if the archive is damaged, encrypted or in an unsupported form.
 */
export function unzipped(source: ByteSource, path: string): ByteSource {
  const input = createInput(source);
  const archive: { fileName: string | undefined } = { fileName: undefined };
  const pieces = textOf(input, archive, path);
  return {
    read: readPieces(async () => (await pieces.next()).value),
    get fileName() {
      return archive.fileName;
    },
    get diskBytes() {
      return source.diskBytes;
    },
    async close() {
      // Not awaited: a read may be pending until the source is written to or closed.
      void pieces.return(undefined).catch(() => {});
      await source.close();
    },
  };
}

async function* textOf(
  input: Input,
  archive: { fileName: string | undefined },
  path: string,
): AsyncGenerator<Uint8Array, undefined> {
  let endsLine = true;
  let skippedBytes = 0;
  for (let files = 0; ; files++) {
    const header = await nextFile(input, path);
    if (header === undefined) return;
    if (files === filesMax) throw new NameListError(path, `contains more than ${filesMax} files`);
    if (header.name === officeFile)
      throw new NameListError(path, "is an office document; save the list as CSV or plain text");
    const isSkipped = /(^|\/)(\.|__MACOSX\/)|\/$/.test(header.name);
    let isFirst = true;
    for await (let piece of contentOf(header, input, path)) {
      if (isSkipped) {
        skippedBytes += piece.length;
        if (skippedBytes > skippedBytesMax)
          throw new NameListError(
            path,
            `contains large hidden files, such as ${shown(header.name)}; remove them`,
          );
        continue;
      }
      if (isFirst) {
        isFirst = false;
        const isList = archive.fileName === undefined;
        archive.fileName ??= header.name;
        if (isCompressed(piece))
          throw new NameListError(path, `contains ${shown(header.name)}, which is compressed; unpack it`);
        // The mark of the first file belongs to the list.
        if (!isList) piece = withoutByteOrderMark(piece);
        if (!endsLine) yield Uint8Array.of(lineFeed);
      }
      if (piece.length === 0) continue;
      endsLine = piece.at(-1) === lineFeed;
      yield piece;
    }
  }
}

/** Yields the content of a file, and checks its length and checksum. */
async function* contentOf(
  { isCompressed: isDeflated, known }: FileHeader,
  input: Input,
  path: string,
): AsyncGenerator<Uint8Array> {
  const from = input.taken;
  let crc = 0;
  let bytes = 0;
  for await (const piece of isDeflated ? inflated(input, path) : copied(input, known!.packedBytes, path)) {
    crc = crc32(piece, crc);
    bytes += piece.length;
    yield piece;
  }
  const found = { crc, packedBytes: input.taken - from, bytes };
  const expected = known ?? (await readDescriptor(input, found, path));
  const isIntact =
    expected.crc === found.crc && expected.bytes === bytes && expected.packedBytes === found.packedBytes;
  if (!isIntact) throw corrupt(path);
}

async function* copied(input: Input, bytes: number, path: string): AsyncGenerator<Uint8Array> {
  for (let left = bytes; left > 0;) {
    const piece = (await input.peek(1)).length === 0 ? undefined : input.buffered().slice(0, left);
    if (piece === undefined) throw truncated(path);
    input.take(piece.length);
    left -= piece.length;
    yield piece;
  }
}

/** Decompresses up to the end of the deflate stream, and takes as many bytes from the input. */
async function* inflated(input: Input, path: string): AsyncGenerator<Uint8Array> {
  const inflate = createInflateRaw({ chunkSize: pieceBytes });
  let isCut = false;
  const feeding = feed(inflate, input).then(
    (isComplete) => void (isCut = !isComplete),
    // Reported by the loop below.
    (error: Error) => void inflate.destroy(error),
  );
  try {
    for await (const piece of inflate) yield piece as Uint8Array;
    await feeding;
  } catch (error) {
    if (isCut) throw truncated(path);
    if (codeOf(error)?.startsWith("Z_") === true) throw corrupt(path);
    throw error;
  } finally {
    inflate.destroy();
  }
}

/** Writes the input up to the end of the deflate stream. Returns false if the input ended before it. */
async function feed(inflate: InflateRaw, input: Input): Promise<boolean> {
  let written = 0;
  for (;;) {
    if ((await input.peek(1)).length === 0) {
      inflate.end();
      return false;
    }
    const piece = input.buffered().slice();
    await new Promise<void>((resolve, reject) =>
      inflate.write(piece, (error) => (error ? reject(error) : resolve())),
    );
    const consumed = inflate.bytesWritten - written;
    input.take(consumed);
    written += consumed;
    // Bytes after the end are not consumed.
    if (consumed < piece.length) return true;
  }
}

/** Records of a ZIP archive that is read from its start. */

/** Size of the pieces in which an archive is read and decompressed. */
const pieceBytes = 1 << 16;
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

interface FileHeader {
  name: string;
  isCompressed: boolean;
  /** Undefined: it is in a record after the file. */
  known: { crc: number; packedBytes: number; bytes: number } | undefined;
}

/** Reads the header of the next file; undefined behind the last one. */
async function nextFile(input: Input, path: string): Promise<FileHeader | undefined> {
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
async function readDescriptor(
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
type Input = ReturnType<typeof createInput>;

function createInput(source: ByteSource) {
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

function truncated(path: string): NameListError {
  return new NameListError(path, "is truncated: its ZIP data ends early");
}

function corrupt(path: string): NameListError {
  return new NameListError(path, "is corrupt: its ZIP data cannot be unpacked");
}

function shown(name: string): string {
  return `"${visible(name, shownCharactersMax)}"`;
}
