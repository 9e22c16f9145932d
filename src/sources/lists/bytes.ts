/** The bytes of a list of names, from a file or standard input, decompressed where they are compressed. */
import { open, type FileHandle } from "node:fs/promises";
import { NameListError } from "./errors.ts";

/** Bytes that are pulled: memory stays that of the caller's buffer, however long the list is. */
export interface ByteSource {
  /** Fills the start of `into` and answers how many bytes that were; 0 at the end. */
  read(into: Uint8Array): Promise<number>;
  /** Goes on at another place; there only where that is possible without reading what lies before. */
  seek?: ((position: number) => void) | undefined;
  /** Bytes taken from the file so far, as they lie on the disk. */
  readonly diskBytes: number;
  close(): Promise<void>;
}

export type Compression = "none" | "gzip" | "zstd";

/** Compressed input is read in pieces of this size; each may unpack to many. */
const pieceBytes = 1 << 16;
/** Unpacking waits for nothing: after so many bytes everything else has its turn. */
const turnBytes = 1 << 20;
const magicBytes = 6;

/** What the first bytes of a file say that it is. The name's ending is not asked: it is often wrong. */
function compressionOf(head: Uint8Array): Compression {
  if (startsWith(head, [0x1f, 0x8b])) return "gzip";
  // A Zstandard frame, or one of the skippable frames that parallel packers put first (RFC 8878, section 3.1).
  if (startsWith(head, [0x28, 0xb5, 0x2f, 0xfd])) return "zstd";
  if (head.length >= 4 && (head[0]! & 0xf0) === 0x50 && startsWith(head.subarray(1), [0x2a, 0x4d, 0x18]))
    return "zstd";
  return "none";
}

/** Packed or encoded in a way that is not read here: what to do about it. */
export function unreadable(head: Uint8Array): string | undefined {
  if (startsWith(head, [0x50, 0x4b, 0x03, 0x04]))
    return "is a ZIP archive; unpack it, or pack the list with gzip or zstd";
  if (startsWith(head, [0xfd, 0x37, 0x7a, 0x58, 0x5a]))
    return "is packed with xz; unpack it, or use gzip or zstd";
  if (startsWith(head, [0x42, 0x5a, 0x68])) return "is packed with bzip2; unpack it, or use gzip or zstd";
  if (startsWith(head, [0xff, 0xfe]) || startsWith(head, [0xfe, 0xff])) return "is UTF-16; save it as UTF-8";
  return undefined;
}

export interface ByteOptions {
  /** Where to stop on the disk, for a file that is still being written. */
  bytesMax?: number;
  /** Where the bytes come from instead of a file; `path` is then a name for messages only. */
  stream?: ReadableStream<Uint8Array>;
}

/**
 * Opens a file, a stream, or standard input for "-".
 * @throws NameListError when it cannot be opened or is of a kind that is not read.
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
 * The next bytes of a source: as many as were asked for, fewer only at its end or once they are `enough`.
 */
export async function readAhead(
  source: ByteSource,
  bytesMax: number,
  enough: (bytes: Uint8Array) => boolean = () => false,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(bytesMax);
  let filled = 0;
  // A pipe may hand over a single byte at first.
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
    throw new NameListError(path, openFault(error), { cause: error });
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

function openFault(error: unknown): string {
  const code = (error as { code?: string }).code;
  if (code === "ENOENT") return "does not exist";
  if (code === "EACCES" || code === "EPERM") return "may not be read by this user";
  return `cannot be opened (${code ?? String(error)})`;
}

function standardInput(): ByteSource {
  return streamBytes(Bun.stdin.stream(), undefined);
}

/** A stream hands over pieces of its own size: what does not fit is kept for the next read. */
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
 * Bun's DecompressionStream reads joined members and frames and notices when the last one is cut short,
 * which node:zlib does not for Zstandard.
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
  // The browser's types, which the console's components bring in, know gzip only.
  const decompression = new DecompressionStream(compression as "gzip");
  const unpacked = streamBytes(packed.pipeThrough(decompression), source);
  let sinceTurn = 0;
  return {
    async read(into) {
      // A few bytes may unpack to gigabytes of nothing that any later stage would pause at.
      if (sinceTurn >= turnBytes) {
        await new Promise<void>((resolve) => void setImmediate(resolve));
        sinceTurn = 0;
      }
      try {
        const bytes = await unpacked.read(into);
        sinceTurn += bytes;
        return bytes;
      } catch (error) {
        throw new NameListError(path, unpackFault(error, compression), { cause: error });
      }
    },
    get diskBytes() {
      return unpacked.diskBytes;
    },
    close: () => unpacked.close(),
  };
}

function unpackFault(error: unknown, compression: string): string {
  if (/unexpected end/.test(String(error))) return `is cut short: its ${compression} data ends in the middle`;
  if (/trailing junk/i.test(String(error))) return `has something else after its ${compression} data`;
  return `is damaged: its ${compression} data cannot be unpacked`;
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}
