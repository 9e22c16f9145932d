import { codeOf } from "../../../platform/lib/errors.ts";

/** Reading yields to other work after this many bytes. */
const yieldBytes = 1 << 20;

/** Bytes that the caller pulls. A list of any length uses only the memory of the caller's buffer. */
export interface ByteSource {
  /** Fills the start of `into` and returns the number of bytes; 0 at the end. */
  read(into: Uint8Array): Promise<number>;
  /** Continues at another position; absent if that requires reading everything before it. */
  seek?: ((position: number) => void) | undefined;
  /** Number of bytes read from disk so far, before decompression. */
  readonly diskBytes: number;
  /** Name of the first file in an archive, once something was read; undefined if the list is no archive. */
  readonly fileName?: string | undefined;
  close(): Promise<void>;
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

/** Returns a source that reads in another way, and is otherwise the given one. */
export function readThrough(source: ByteSource, changed: Pick<ByteSource, "read" | "seek">): ByteSource {
  return {
    ...changed,
    get diskBytes() {
      return source.diskBytes;
    },
    get fileName() {
      return source.fileName;
    },
    close: () => source.close(),
  };
}

/**
 * Returns a function that reads from pieces of any size. What does not fit is kept for the next read.
 * @param next returns the next piece; undefined at the end
 */
export function readPieces(next: () => Promise<Uint8Array | undefined>): ByteSource["read"] {
  let rest: Uint8Array = new Uint8Array(0);
  return async (into) => {
    while (rest.length === 0) {
      const piece = await next();
      if (piece === undefined) return 0;
      rest = piece;
    }
    const taken = rest.subarray(0, into.length);
    into.set(taken);
    rest = rest.subarray(taken.length);
    return taken.length;
  };
}

/** Puts bytes that were read from a source back in front of it. */
export function prepend(head: Uint8Array, source: ByteSource): ByteSource {
  let rest = head;
  const { seek } = source;
  return readThrough(source, {
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
  });
}

/**
 * Makes every read of a source fail with the signal's reason once the signal is aborted, including a read that is
 * waiting for bytes: a pipe may stay silent for hours, and a line may never end.
 *
 * Also yields to other work, such as the signal itself: decompression and standard input from a file never wait for
 * I/O, and no later stage yields in gigabytes without a line feed.
 */
export function abortableBytes(source: ByteSource, signal: AbortSignal): ByteSource {
  let sinceYield = 0;
  return readThrough(source, {
    async read(into) {
      if (sinceYield >= yieldBytes) {
        await new Promise<void>((resolve) => void setImmediate(resolve));
        sinceYield = 0;
      }
      const bytes = await unlessAborted(signal, () => source.read(into));
      sinceYield += bytes;
      return bytes;
    },
    seek: source.seek,
  });
}

/** Resolves like `work`, or rejects with the signal's reason as soon as the signal is aborted. */
export function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  // A listener per call: racing with one promise for the whole list would keep a reaction for each read.
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** A list of names that cannot be read, or not to its end. The message names the file and the problem. */
export class NameListError extends Error {
  readonly path: string;
  /** The problem, as words that follow the file's name. */
  readonly problem: string;

  constructor(path: string, problem: string, options: { line?: number; cause?: unknown } = {}) {
    const where = options.line === undefined ? "" : ` (read up to line ${options.line})`;
    super(`${path === "-" ? "standard input" : path} ${problem}${where}`, { cause: options.cause });
    this.name = "NameListError";
    this.path = path;
    this.problem = problem;
  }
}

/** Returns why a file cannot be opened, as words that follow its name. */
export function openProblem(error: unknown): string {
  const code = codeOf(error);
  if (code === "ENOENT") return "does not exist";
  if (code === "EACCES" || code === "EPERM") return "may not be read by this user";
  return `cannot be opened (${code ?? String(error)})`;
}

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
  if (
    head.length >= 4 &&
    ((head[0] ?? 0) & 0xf0) === 0x50 &&
    startsWith(head.subarray(1), [0x2a, 0x4d, 0x18])
  )
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
