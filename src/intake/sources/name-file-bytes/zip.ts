/**
 * Reads the files in a ZIP archive (PKWARE APPNOTE 6.3.10) one after another, from its start: a list may come from a pipe
 * or an upload, so that the directory at its end cannot be read first.
 *
 * A file of unknown length ends where its deflate stream ends. Libraries that read archives as a stream (fflate,
 * unzip-stream) search for the signature of the record after it instead, which compressed data may contain. Others
 * (yauzl, zip.js) need the whole archive first.
 */
import { crc32, createInflateRaw, type InflateRaw } from "node:zlib";
import { type ByteSource, NameListError, isCompressed, withoutByteOrderMark } from "./byte-source.ts";
import {
  corrupt,
  createInput,
  nextFile,
  pieceBytes,
  readDescriptor,
  shown,
  truncated,
  type FileHeader,
  type Input,
} from "./zip-records.ts";
import { codeOf } from "../../../platform/lib/errors.ts";

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
  let rest: Uint8Array = new Uint8Array(0);
  return {
    async read(into) {
      while (rest.length === 0) {
        const { done, value } = await pieces.next();
        if (done === true) return 0;
        rest = value;
      }
      const taken = rest.subarray(0, into.length);
      into.set(taken);
      rest = rest.subarray(taken.length);
      return taken.length;
    },
    get fileName() {
      return archive.fileName;
    },
    get diskBytes() {
      return source.diskBytes;
    },
    async close() {
      // Not awaited: a read may be pending until somebody writes to the source or closes it.
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
        // The mark of the first file is that of the list.
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
