import { gunzipSync } from "node:zlib";

const mebibyte = 1024 * 1024;

/** Limits of requests for both protocols. */
export const readLimits = {
  /** Timeout of tree heads and tiles of hashes. */
  headTimeoutMs: 20_000,
  /** Timeout of entries and proofs. Some logs take 30 s for 256 entries. */
  entryTimeoutMs: 60_000,
  /**
   * Size of a response with entries or a proof, up to which several are read at the same time. Usual responses have 0.4 to
   * 1.4 MB.
   */
  bytesMax: 4 * mebibyte,
  /**
   * Size up to which a response that cannot be made smaller is read, one at a time: a tile with 256 certificates of 128 KiB,
   * each in two forms.
   */
  largeBytesMax: 64 * mebibyte,
};

export type ReadLimits = typeof readLimits;

/** `too_large`: longer than the limit after decompression. */
export type Content =
  { bytes: Uint8Array } | { failure: "too_large" } | { failure: "broken"; reason: string };

/** Names the only content coding that is requested. Tiles of static logs use it even without a request. */
export const acceptedEncoding = "gzip";

/** Length of the start that shows what the content is. */
const startBytes = 64;
/** Size of the pieces in which output is collected. */
const pieceBytesMin = 16 * 1024;
const pieceBytesMax = 1024 * 1024;
/** Approximate ratio of data tiles, so that most bodies are collected in one piece. */
const ratio = 5;

interface DecodeContentOptions {
  body: Uint8Array;
  /** Value of the Content-Encoding header. */
  encoding: string | undefined;
  bytesMax: number;
  detectGzip?: boolean;
}

/**
 * Removes the content coding of a complete body. A truncated or corrupt body is a failure, because half a tile is no tile.
 * Synchronous decompression is 1.3 to 3 times as fast as a stream, and never produces more than the limit.
 * @param detectGzip also decompresses a body without Content-Encoding that starts as gzip does
 */
export function decodeContent(options: DecodeContentOptions): Content {
  const { body, encoding = "", bytesMax, detectGzip = false } = options;
  const coding = encoding.trim().toLowerCase();
  const isPlain = coding === "" || coding === "identity";
  if (isPlain && !(detectGzip && isGzip(body))) {
    return body.length > bytesMax ? { failure: "too_large" } : { bytes: body };
  }
  if (!isPlain && coding !== "gzip" && coding !== "x-gzip") {
    return { failure: "broken", reason: "a content coding that was not requested" };
  }
  const chunkSize = Math.min(pieceBytesMax, Math.max(pieceBytesMin, body.length * ratio));
  try {
    return { bytes: gunzipSync(body, { maxOutputLength: bytesMax, chunkSize }) };
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    return isTooLarge ? { failure: "too_large" } : { failure: "broken", reason: "truncated or corrupt gzip" };
  }
}

function isGzip(body: Uint8Array): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
}

/** Returns a phrase about content that has not the form that it should have. */
export function describeContent(bytes: Uint8Array, otherwise: string): string {
  const start = new TextDecoder().decode(bytes.subarray(0, startBytes)).trimStart();
  return start.startsWith("<") ? "is an HTML page" : otherwise;
}
