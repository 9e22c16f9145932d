/** Reads the bytes of a list of names from a file, a stream or standard input, decompressed if necessary. */
import { open, type FileHandle } from "node:fs/promises";
import { NameListError } from "./errors.ts";

/** Bytes that the caller pulls. Memory use is that of the caller's buffer, however long the list is. */
export interface ByteSource {
  /** Fills the start of `into` and returns the number of bytes; 0 at the end. */
  read(into: Uint8Array): Promise<number>;
  /** Continues at another position; absent if that requires reading everything before it. */
  seek?: ((position: number) => void) | undefined;
  /** Number of bytes read from disk so far, before decompression. */
  readonly diskBytes: number;
  close(): Promise<void>;
}

export type Compression = "none" | "gzip" | "zstd";

/** Compressed input is read in pieces of this size. Each may decompress to many. */
const pieceBytes = 1 << 16;
/** Decompression never waits for I/O, so it yields to other work after this many bytes. */
const yieldBytes = 1 << 20;
const magicBytes = 6;

/** Detects the compression by the first bytes. The file extension is ignored, because it is often wrong. */
function compressionOf(head: Uint8Array): Compression {
  if (startsWith(head, [0x1f, 0x8b])) return "gzip";
  // A Zstandard frame, or a skippable frame as parallel compressors write first (RFC 8878, section 3.1).
  if (startsWith(head, [0x28, 0xb5, 0x2f, 0xfd])) return "zstd";
  if (head.length >= 4 && (head[0]! & 0xf0) === 0x50 && startsWith(head.subarray(1), [0x2a, 0x4d, 0x18]))
    return "zstd";
  return "none";
}

/** Returns why a list cannot be read and what to do about it; undefined if its format is supported. */
export function unreadable(head: Uint8Array): string | undefined {
  if (startsWith(head, [0x50, 0x4b, 0x03, 0x04]))
    return "is a ZIP archive; unpack it, or compress the list with gzip or zstd";
  if (startsWith(head, [0xfd, 0x37, 0x7a, 0x58, 0x5a]))
    return "is compressed with xz; decompress it, or use gzip or zstd";
  if (startsWith(head, [0x42, 0x5a, 0x68]))
    return "is compressed with bzip2; decompress it, or use gzip or zstd";
  if (startsWith(head, [0xff, 0xfe]) || startsWith(head, [0xfe, 0xff])) return "is UTF-16; save it as UTF-8";
  return undefined;
}

export interface ByteOptions {
  /** Position on disk at which to stop, for a file that is still being written. */
  bytesMax?: number;
  /** Source of the bytes instead of a file; `path` is then only a name for messages. */
  stream?: ReadableStream<Uint8Array>;
}

/**
 * Opens a file, a stream, or standard input for "-".
 * @throws NameListError if it cannot be opened or its format is not supported.
 */
export async function openBytes(path: string, { bytesMax, stream }: ByteOptions = {}): Promise<ByteSource> {
  const file =
    stream !== undefined
      ? streamBytes(stream, undefined)
      : path === "-"
        ? standardInput()
        : await fileBytes(path, bytesMax ?? Infinity);
  try {
    const start = await readAhead(file, magicBytes);
    const why = unreadable(start);
    if (why !== undefined) throw new NameListError(path, why);
    const whole = prepend(start, file);
    const compression = compressionOf(start);
    return compression === "none" ? whole : decompressed(whole, compression, path);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Reads the next bytes of a source: `bytesMax` of them, fewer only at its end or once they are `enough`.
 */
export async function readAhead(
  source: ByteSource,
  bytesMax: number,
  enough: (bytes: Uint8Array) => boolean = () => false,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(bytesMax);
  let filled = 0;
  // A pipe may return a single byte first.
  while (filled < bytesMax && !enough(bytes.subarray(0, filled))) {
    const read = await source.read(bytes.subarray(filled));
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}

async function fileBytes(path: string, bytesMax: number): Promise<ByteSource> {
  let handle: FileHandle;
  try {
    handle = await open(path, "r");
  } catch (error) {
    throw new NameListError(path, openProblem(error), { cause: error });
  }
  const stat = await handle.stat();
  if (stat.isDirectory()) {
    await handle.close();
    throw new NameListError(path, "is a folder; name the files in it");
  }
  let diskBytes = 0;
  return {
    async read(into) {
      const want = Math.min(into.length, bytesMax - diskBytes);
      if (want <= 0) return 0;
      // Pipes and devices have no position.
      const { bytesRead } = await handle.read(into, 0, want, stat.isFile() ? diskBytes : null);
      diskBytes += bytesRead;
      return bytesRead;
    },
    seek: stat.isFile() ? (position) => void (diskBytes = position) : undefined,
    get diskBytes() {
      return diskBytes;
    },
    close: () => handle.close(),
  };
}

function openProblem(error: unknown): string {
  const code = (error as { code?: string }).code;
  if (code === "ENOENT") return "does not exist";
  if (code === "EACCES" || code === "EPERM") return "may not be read by this user";
  return `cannot be opened (${code ?? String(error)})`;
}

function standardInput(): ByteSource {
  return streamBytes(Bun.stdin.stream(), undefined);
}

/** A stream returns pieces of its own size. What does not fit is kept for the next read. */
function streamBytes(stream: ReadableStream<Uint8Array>, origin: ByteSource | undefined): ByteSource {
  const reader = stream.getReader();
  let rest = new Uint8Array(0);
  let diskBytes = 0;
  return {
    async read(into) {
      while (rest.length === 0) {
        const { done, value } = await reader.read();
        if (done) return 0;
        diskBytes += value.length;
        rest = value as Uint8Array<ArrayBuffer>;
      }
      const taken = rest.subarray(0, into.length);
      into.set(taken);
      rest = rest.subarray(taken.length);
      return taken.length;
    },
    get diskBytes() {
      return origin?.diskBytes ?? diskBytes;
    },
    async close() {
      await reader.cancel().catch(() => {});
      await origin?.close();
    },
  };
}

/** Puts bytes that were read from a source back in front of it. */
export function prepend(head: Uint8Array, source: ByteSource): ByteSource {
  let rest = head;
  const { seek } = source;
  return {
    read(into) {
      if (rest.length === 0) return source.read(into);
      const taken = rest.subarray(0, into.length);
      into.set(taken);
      rest = rest.subarray(taken.length);
      return Promise.resolve(taken.length);
    },
    seek:
      seek &&
      ((position) => {
        rest = new Uint8Array(0);
        seek(position);
      }),
    get diskBytes() {
      return source.diskBytes;
    },
    close: () => source.close(),
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
  let sinceYield = 0;
  return {
    async read(into) {
      // A few bytes may decompress to gigabytes in which no later stage would yield.
      if (sinceYield >= yieldBytes) {
        await new Promise<void>((resolve) => void setImmediate(resolve));
        sinceYield = 0;
      }
      try {
        const bytes = await output.read(into);
        sinceYield += bytes;
        return bytes;
      } catch (error) {
        throw new NameListError(path, decompressionProblem(error, compression), { cause: error });
      }
    },
    get diskBytes() {
      return output.diskBytes;
    },
    close: () => output.close(),
  };
}

function decompressionProblem(error: unknown, compression: string): string {
  if (/unexpected end/.test(String(error))) return `is truncated: its ${compression} data ends early`;
  if (/trailing junk/i.test(String(error))) return `has other data after its ${compression} data`;
  return `is corrupt: its ${compression} data cannot be decompressed`;
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}
