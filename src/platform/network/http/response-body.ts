/** Takes the content of a body. */
export interface BodySink {
  /** Takes `bytes` from index `from` to before `to`. Returns false if they exceed a limit: the rest is not read. */
  add(bytes: Uint8Array, from?: number, to?: number): boolean;
}

export type BodyProgress =
  | { kind: "more" }
  /** `end` is the index of the first byte after the body. */
  | { kind: "complete"; end: number }
  /** A limit is reached; the rest is not read. */
  | { kind: "cut" }
  | { kind: "malformed"; reason: string };

/** Adds the content of a body, from index `from` of what was received, to a sink, as its framing says. */
export type ReadBody = (bytes: Uint8Array, from: number) => BodyProgress;

const more: BodyProgress = { kind: "more" };
const cut: BodyProgress = { kind: "cut" };

export function createLengthReader(body: BodySink, length: number): ReadBody {
  let remaining = length;
  return (bytes, from) => {
    const end = Math.min(bytes.length, from + remaining);
    if (!body.add(bytes, from, end)) return cut;
    remaining -= end - from;
    return remaining === 0 ? { kind: "complete", end } : more;
  };
}

/** Reads a body that ends when the server closes the connection. */
export function createUnframedReader(body: BodySink): ReadBody {
  return (bytes, from) => (body.add(bytes, from) ? more : cut);
}

/** Enough for a chunk size with its extensions (RFC 9112 section 7.1.1); no common server sends extensions. */
const chunkLineBytesMax = 1_024;
const chunkSizeDigitsMax = 12;
const trailerBytesMax = 16_384;

const carriageReturn = 13;
const lineFeed = 10;
const tab = 9;
const space = 32;
const semicolon = 59;

/** Part of the chunked coding that the next byte belongs to. */
type Part =
  "size" | "blanks" | "extension" | "size line feed" | "data" | "data end" | "data line feed" | "trailer";

/**
 * Reads the chunked coding (RFC 9112 section 7.1) byte by byte, so that its cost does not depend on the sizes of the
 * chunks, and allocates nothing for a chunk.
 *
 * @param framingBytesMax maximum number of bytes that are not content: sizes, extensions, line ends and trailers.
 */
export function createChunkedReader(body: BodySink, framingBytesMax: number): ReadBody {
  let part: Part = "size";
  let framingBytes = 0;
  let lineBytes = 0;
  let digits = 0;
  let size = 0;
  /** Remaining bytes of the chunk's content. */
  let remaining = 0;
  let trailerBytes = 0;
  let afterReturn = false;

  /** Takes one byte of a chunk's first line. Returns false if it is invalid. */
  const takeSizeLine = (byte: number): boolean => {
    lineBytes += 1;
    if (lineBytes > chunkLineBytesMax) return false;
    if (part === "size line feed") {
      if (byte !== lineFeed) return false;
      part = size === 0 ? "trailer" : "data";
      remaining = size;
      lineBytes = digits = size = 0;
      return true;
    }
    const digit = part === "size" ? hexDigit(byte) : -1;
    if (digit >= 0) {
      digits += 1;
      size = size * 16 + digit;
      return digits <= chunkSizeDigitsMax;
    }
    if (digits === 0) return false;
    if (byte === carriageReturn) part = "size line feed";
    else if (part === "extension") return byte !== lineFeed;
    else if (byte === semicolon) part = "extension";
    else if (byte === space || byte === tab) part = "blanks";
    else return false;
    return true;
  };

  /** Takes one byte of the trailers. Returns whether it ends them. */
  const takeTrailer = (byte: number): boolean => {
    trailerBytes += 1;
    if (afterReturn && byte === lineFeed) {
      if (lineBytes === 1) return true;
      lineBytes = 0;
    } else {
      lineBytes += 1;
    }
    afterReturn = byte === carriageReturn;
    return false;
  };

  return (bytes, from) => {
    let index = from;
    while (index < bytes.length) {
      if (part === "data") {
        const end = Math.min(bytes.length, index + remaining);
        if (!body.add(bytes, index, end)) return cut;
        remaining -= end - index;
        index = end;
        if (remaining === 0) part = "data end";
        continue;
      }
      const byte = bytes[index++]!;
      framingBytes += 1;
      if (framingBytes > framingBytesMax) return cut;
      if (part === "trailer") {
        if (takeTrailer(byte)) return { kind: "complete", end: index };
        if (trailerBytes > trailerBytesMax) return cut;
      } else if (part === "data end") {
        if (byte !== carriageReturn) return { kind: "malformed", reason: "bad chunk" };
        part = "data line feed";
      } else if (part === "data line feed") {
        if (byte !== lineFeed) return { kind: "malformed", reason: "bad chunk" };
        part = "size";
      } else if (!takeSizeLine(byte)) {
        return { kind: "malformed", reason: "bad chunk size" };
      }
    }
    return more;
  };
}

/** Returns the value of a hexadecimal digit; −1 for any other byte. */
function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}
