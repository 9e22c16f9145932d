/** Reads the bytes of a list of names from a file, a stream or standard input, decompressed if necessary. */
import { open, type FileHandle } from "node:fs/promises";
import { bytesText } from "../../../platform/lib/durations.ts";
import {
  abortableBytes,
  prepend,
  readAhead,
  readPieces,
  readThrough,
  unlessAborted,
  type ByteSource,
  NameListError,
  openProblem,
  compressionOf,
  firstBytesMax,
  unreadable,
} from "./byte-source.ts";
import { unzipped } from "./zip.ts";

/** Compressed input is read in pieces of this size. Each may decompress to many. */
const pieceBytes = 1 << 16;

export interface ByteOptions {
  /** Position on disk at which to stop, for a file that is still being written. */
  bytesMax?: number;
  /** Maximum number of bytes after decompression: a longer list fails. */
  textBytesMax?: number | undefined;
  /** Source of the bytes instead of a file; `path` is then only a name for messages. */
  stream?: ReadableStream<Uint8Array>;
  /** An open file instead of the one at `path`. Closing the source closes it. */
  file?: FileHandle;
  /** Ends reading, even a read that waits for bytes: it fails with the signal's reason. */
  signal?: AbortSignal;
}

const neverAborted = new AbortController().signal;

/**
 * Opens a file, a stream, or standard input for "-".
 * @throws NameListError if it cannot be opened or its format is not supported; the reason of the signal.
 */
export async function openBytes(path: string, options: ByteOptions = {}): Promise<ByteSource> {
  const { signal = neverAborted } = options;
  const opened = abortableBytes(await openRaw(path, options, signal), signal);
  try {
    const start = await readAhead(opened, firstBytesMax);
    const why = unreadable(start);
    if (why !== undefined) throw new NameListError(path, why);
    const whole = prepend(start, opened);
    const compression = compressionOf(start);
    const unpacked =
      compression === "none"
        ? undefined
        : compression === "zip"
          ? unzipped(whole, path)
          : decompressed(whole, compression, path);
    // A few bytes may decompress to gigabytes, during which nothing more is read from the source.
    const text = unpacked === undefined ? whole : abortableBytes(unpacked, signal);
    return options.textBytesMax === undefined ? text : limited(text, options.textBytesMax, path);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function openRaw(
  path: string,
  { bytesMax = Infinity, stream, file }: ByteOptions,
  signal: AbortSignal,
): Promise<ByteSource> {
  if (stream !== undefined) return streamBytes(stream);
  if (file === undefined && path === "-") return streamBytes(Bun.stdin.stream());
  return fileBytes(path, file ?? (await openFile(path, signal)), bytesMax);
}

/** Opening a named pipe waits for its writer, which may never come. */
async function openFile(path: string, signal: AbortSignal): Promise<FileHandle> {
  const opening = open(path, "r");
  try {
    return await unlessAborted(signal, () => opening);
  } catch (error) {
    if (!signal.aborted) throw new NameListError(path, openProblem(error), { cause: error });
    void opening.then((late) => late.close()).catch(() => {});
    throw error;
  }
}

async function fileBytes(path: string, handle: FileHandle, bytesMax: number): Promise<ByteSource> {
  const stat = await handle.stat();
  if (stat.isDirectory()) {
    await handle.close();
    throw new NameListError(path, "is a folder; name the files in it");
  }
  let diskBytes = 0;
  let reading = false;
  return {
    async read(into) {
      const want = Math.min(into.length, bytesMax - diskBytes);
      if (want <= 0) return 0;
      reading = true;
      try {
        // Pipes and devices have no position.
        const { bytesRead } = await handle.read(into, 0, want, stat.isFile() ? diskBytes : null);
        diskBytes += bytesRead;
        return bytesRead;
      } finally {
        reading = false;
      }
    },
    seek: stat.isFile() ? (position) => void (diskBytes = position) : undefined,
    get diskBytes() {
      return diskBytes;
    },
    async close() {
      const closing = handle.close();
      // A read that was abandoned may wait for the writer of a pipe, and closing waits for the read.
      if (reading) closing.catch(() => {});
      else await closing;
    },
  };
}

function streamBytes(stream: ReadableStream<Uint8Array>, origin?: ByteSource): ByteSource {
  const reader = stream.getReader();
  let diskBytes = 0;
  return {
    read: readPieces(async () => {
      const { value } = await reader.read();
      diskBytes += value?.length ?? 0;
      return value;
    }),
    get diskBytes() {
      return origin?.diskBytes ?? diskBytes;
    },
    async close() {
      await reader.cancel().catch(() => {});
      await origin?.close();
    },
  };
}

/**
 * Uses Bun's DecompressionStream, which reads concatenated members and frames and detects a truncated last one, which
 * node:zlib does not for Zstandard.
 */
function decompressed(source: ByteSource, compression: "gzip" | "zstd", path: string): ByteSource {
  const packed = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const piece = new Uint8Array(pieceBytes);
        const bytes = await source.read(piece);
        if (bytes === 0) controller.close();
        else controller.enqueue(piece.subarray(0, bytes));
      },
    },
    { highWaterMark: 0 },
  );
  // The DOM types, which the console's components bring in, know only gzip.
  const decompression = new DecompressionStream(compression as "gzip");
  const output = streamBytes(packed.pipeThrough(decompression), source);
  return readThrough(output, {
    async read(into) {
      try {
        return await output.read(into);
      } catch (error) {
        throw new NameListError(path, decompressionProblem(error, compression), { cause: error });
      }
    },
  });
}

/** Makes reading fail behind a number of bytes. Positions behind it are never reached, so that seeking needs no check. */
function limited(source: ByteSource, bytesMax: number, path: string): ByteSource {
  let bytes = 0;
  return readThrough(source, {
    async read(into) {
      const read = await source.read(into);
      bytes += read;
      if (bytes > bytesMax) throw new NameListError(path, `is longer than ${bytesText(bytesMax)} of text`);
      return read;
    },
    seek: source.seek,
  });
}

function decompressionProblem(error: unknown, compression: string): string {
  if (/unexpected end/.test(String(error))) return `is truncated: its ${compression} data ends early`;
  if (/trailing junk/i.test(String(error))) return `has other data after its ${compression} data`;
  return `is corrupt: its ${compression} data cannot be decompressed`;
}
